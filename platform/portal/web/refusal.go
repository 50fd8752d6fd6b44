package web

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// refusal is a status of an operation, and its problem.
type refusal struct {
	typ    string
	status int
	text   string
}

// statuses are the refusals that the document describes, in the order of their statuses.
var statuses = []refusal{
	{api.ProblemInvalid, http.StatusBadRequest, "The request cannot be read"},
	{api.ProblemSignIn, http.StatusUnauthorized, "Nobody is signed in, or the token or the session has ended"},
	{api.ProblemDenied, http.StatusForbidden, "The person lacks a right; role grants it, if a role is known"},
	{api.ProblemForgery, http.StatusForbidden, "Another site may have sent the request; a write needs a bearer token or X-Vedette-CSRF"},
	{api.ProblemUnknown, http.StatusNotFound, "There is no such thing, or the person may not see it"},
	{api.ProblemConflict, http.StatusConflict, "The state has changed, or the name is in use"},
	{api.ProblemGone, http.StatusGone, "Retention has removed it"},
	{api.ProblemTooLarge, http.StatusRequestEntityTooLarge, "The body is too large"},
	{api.ProblemInvalid, http.StatusUnprocessableEntity, "The request has mistakes; fields lists them"},
	{api.ProblemTooMany, http.StatusTooManyRequests, "There were too many requests; retryAfter is the number of seconds to wait"},
	{api.ProblemFault, http.StatusInternalServerError, "The portal failed; its log has the cause under instance"},
	{api.ProblemCluster, http.StatusBadGateway, "The API server did not answer, or refused the request"},
	{api.ProblemLoading, http.StatusServiceUnavailable, "The portal has started and is reading the history; done is the share that it has read"},
	{api.ProblemUnavailable, http.StatusServiceUnavailable, "The portal is not configured for this"},
	{api.ProblemDatabase, http.StatusGatewayTimeout, "The database did not answer in time"},
}

// always are the types of problems that any operation answers with.
var always = []string{
	api.ProblemSignIn, api.ProblemForgery, api.ProblemTooMany, api.ProblemFault, api.ProblemCluster, api.ProblemLoading, api.ProblemUnavailable, api.ProblemDatabase,
}

// refusals documents the problems of an operation by status: the types that its method, path and
// input imply, and further types. schema is the schema of api.Problem.
func refusals(o *huma.Operation, input reflect.Type, more []string, schema *huma.Schema) map[string]*huma.Response {
	types := append(slices.Clone(always), more...)
	if strings.Contains(o.Path, "{") {
		types = append(types, api.ProblemUnknown)
	}
	if input.NumField() > 0 {
		types = append(types, api.ProblemInvalid)
	}
	if o.Method != http.MethodGet {
		types = append(types, api.ProblemDenied, api.ProblemUnknown, api.ProblemConflict)
		if _, ok := input.FieldByName("Body"); ok {
			types = append(types, api.ProblemTooLarge)
		}
	}
	all := map[string]*huma.Response{
		"default": {Description: "A problem", Content: map[string]*huma.MediaType{api.ProblemType: {Schema: schema}}},
	}
	for _, r := range statuses {
		if !slices.Contains(types, r.typ) {
			continue
		}
		status, text := strconv.Itoa(r.status), r.text+" ("+r.typ+")."
		if of := all[status]; of != nil {
			of.Description += " " + text
			continue
		}
		all[status] = &huma.Response{Description: text, Content: map[string]*huma.MediaType{api.ProblemType: {Schema: schema}}}
	}
	return all
}
