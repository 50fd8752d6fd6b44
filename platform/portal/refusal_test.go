package portal_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestRefusalsAreDocumented: each refusal of an operation is in the OpenAPI document, with its
// status and the type of the problem.
func TestRefusalsAreDocumented(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte("tokens:\n- name: ann\n  token: correct-horse-battery-staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	s := w.serve(func(c *portal.Config) { c.Identity.Tokens = file }).ready()
	bearer := []string{"Authorization", "Bearer correct-horse-battery-staple", "Content-Type", "application/json"}
	seen := map[int]bool{}
	for path, item := range s.portal.API().OpenAPI().Paths {
		at := strings.NewReplacer("{id}", "7", "{", "", "}", "").Replace(path)
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Delete} {
			if op == nil || op.OperationID == "stream" {
				continue
			}
			refused := func(at, body string, header ...string) {
				t.Helper()
				status, h, text := s.send(op.Method, at, body, header...)
				if status < 400 {
					return
				}
				seen[status] = true
				var p api.Problem
				if json.Unmarshal([]byte(text), &p) != nil || p.Status != status || p.Detail == "" || h.Get("Content-Type") != api.ProblemType {
					t.Errorf("%s %s: got status %d and %s, want a problem with a detail", op.Method, at, status, text)
				}
				if r := op.Responses[strconv.Itoa(status)]; r == nil || !strings.Contains(r.Description, "("+p.Type+")") {
					t.Errorf("%s %s answers %d %s, which is not documented", op.Method, at, status, p.Type)
				}
			}
			refused(at, "")
			refused(at+"?limit=x&at=x&type=x", "", bearer...)
			if op.Method == http.MethodPost {
				refused(at, "{}", bearer...)
				refused(at, "{", bearer...)
				refused(at, strings.Repeat(" ", int(op.MaxBodyBytes)+1), bearer...)
			}
		}
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity} {
		if !seen[status] {
			t.Errorf("no operation answered %d", status)
		}
	}
}
