package web

import (
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// DocumentPath is the path of the OpenAPI document.
const DocumentPath = api.Prefix + "/openapi.json"

// methods are the methods that paths of the API may have.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodDelete}

var problemsOnce sync.Once

// NewAPI returns an API that mux serves below api.Prefix. It also serves the OpenAPI document, and
// answers all other paths below /api/ with problems. version is the program's version.
func NewAPI(mux *http.ServeMux, version string) huma.API {
	problemsOnce.Do(func() { huma.NewError = problemOfValidation })
	config := huma.DefaultConfig("Vedette", version)
	config.Info.Description = "Jobs of Kubernetes clusters: their states over time, why they wait and why they failed."
	config.OpenAPIPath = strings.TrimSuffix(DocumentPath, ".json")
	config.DocsPath, config.SchemasPath = "", ""
	config.CreateHooks = nil // no links to schemas in answers
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A token of the portal, of its identity provider or of a cluster. A portal without sign-in takes the local token of the user who runs it."},
	}
	config.Security = []map[string][]string{{"token": {}}, {}}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		if allowed := allowed(mux, r); len(allowed) > 0 {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			Fail(w, r, BadMethod(allowed...))
			return
		}
		Fail(w, r, Unknown("The API has no such path."))
	})
	return humago.New(mux, config)
}

// allowed returns the methods that the path of a request has.
func allowed(mux *http.ServeMux, r *http.Request) (all []string) {
	_, none := mux.Handler(r)
	for _, m := range methods {
		other := r.Clone(r.Context())
		other.Method = m
		if _, pattern := mux.Handler(other); pattern != none {
			all = append(all, m)
		}
	}
	return all
}

// problemOfValidation returns the problem for a request that fails validation before its handler is
// called. It omits values, which may be secret.
func problemOfValidation(status int, _ string, errs ...error) huma.StatusError {
	p := Invalid("The request does not have the form that the API describes.")
	switch status {
	case http.StatusRequestEntityTooLarge:
		p = TooLarge(BodyLimit)
		p.Detail = "The body is larger than this operation allows."
	case http.StatusInternalServerError:
		p = Fault()
	default:
		if status >= 400 && status < 500 {
			p.Status = status
		}
	}
	if p.Status >= http.StatusInternalServerError {
		return p
	}
	for _, err := range errs {
		f := api.FieldProblem{}
		if d, ok := err.(huma.ErrorDetailer); ok {
			detail := d.ErrorDetail()
			_, f.Field, _ = strings.Cut(detail.Location, ".")
			f.Message = detail.Message
		} else if err != nil {
			f.Message = err.Error()
		}
		p.Fields = append(p.Fields, f)
	}
	return p
}
