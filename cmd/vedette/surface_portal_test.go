package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/ui"
)

// emptyPortal returns a portal of an empty history.
func emptyPortal(t *testing.T) *portal.Portal {
	t.Helper()
	p, err := portal.New(portal.Config{DB: emptyHistory(t), Identity: identity.Config{InsecureLoopback: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// apiSurface has the operations of the portal with their parameters and bodies, and the fields of
// the schemas.
func apiSurface(t *testing.T) surface {
	s := surface{}
	document := emptyPortal(t).API().OpenAPI()
	for path, item := range document.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			at := method + " " + path
			s.add(t, at, operationText(op))
			for _, p := range op.Parameters {
				detail := schemaText(p.Schema)
				if p.Required {
					detail += " required"
				}
				s.add(t, fmt.Sprintf("%s %s %s", at, p.In, p.Name), detail)
			}
		}
	}
	for name, schema := range document.Components.Schemas.Map() {
		s.add(t, "schema "+name, schema.Type)
		for field, property := range schema.Properties {
			detail := schemaText(property)
			if slices.Contains(schema.Required, field) {
				detail += " required"
			}
			s.add(t, "schema "+name+"."+field, detail)
		}
	}
	return s
}

// operationText has the name of an operation, the body of its requests, and its answers. Problems
// are named by their status.
func operationText(op *huma.Operation) string {
	text, problems := op.OperationID, ""
	if op.RequestBody != nil {
		text += "; request " + contentText(op.RequestBody.Content)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		content := op.Responses[status].Content
		if content["application/problem+json"] != nil {
			problems += " " + status
			continue
		}
		text += "; " + strings.TrimSpace(status+" "+contentText(content))
	}
	return text + "; problems" + problems
}

func contentText(content map[string]*huma.MediaType) string {
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		all = append(all, strings.TrimSpace(kind+" "+schemaText(content[kind].Schema)))
	}
	return strings.Join(all, ", ")
}

// schemaText describes a schema in one line. Schemas with a name are named.
func schemaText(j *huma.Schema) string {
	if j == nil {
		return ""
	}
	if j.Ref != "" {
		return j.Ref[strings.LastIndex(j.Ref, "/")+1:]
	}
	words := []string{j.Type, j.Format}
	if j.Nullable {
		words = append(words, "nullable")
	}
	if j.Items != nil {
		words = append(words, "of "+schemaText(j.Items))
	}
	if values, ok := j.AdditionalProperties.(*huma.Schema); ok {
		words = append(words, "of "+schemaText(values)+" by name")
	}
	for _, v := range j.Enum {
		words = append(words, fmt.Sprintf("%q", v))
	}
	if j.Default != nil {
		words = append(words, fmt.Sprintf("default %v", j.Default))
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

var (
	routed    = regexp.MustCompile(`(?:\.Handle(?:Func)?\("((?:[A-Z]+ )?/[^"]*)"|\bpath[A-Z]\w+\s+= "(/auth/[^"]*)")`)
	pageNamed = regexp.MustCompile(`(?m)^    case "(\w+)":`)
)

// pathSurface has the paths that servers of the program serve beside the API, and the pages of the
// portal. A page is in src/shell/pages.ts, and the server knows it.
func pathSurface(t *testing.T) surface {
	s := surface{}
	eachSource(t, func(text string) {
		for _, m := range routed.FindAllStringSubmatch(text, -1) {
			s.add(t, m[1]+m[2], "")
		}
	})
	text, err := os.ReadFile(filepath.Join(folderOf[ui.Pages](t), "src", "shell", "pages.ts"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := ui.New()
	if err != nil {
		t.Fatal(err)
	}
	names := pageNamed.FindAllStringSubmatch(string(text), -1)
	if len(names) == 0 {
		t.Error("src/shell/pages.ts has no pages")
	}
	for _, m := range names {
		path := "/" + m[1]
		for range 5 {
			w := httptest.NewRecorder()
			pages.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if w.Code == http.StatusOK {
				s.add(t, "page "+path, "")
			}
			path += "/*"
		}
	}
	return s
}
