package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/submit"
)

// input is the input of an operation of the tests.
type input struct {
	Cluster string `path:"cluster"`
	Limit   int    `query:"limit" minimum:"1" maximum:"500"`
}

type output struct {
	Text string `json:"text"`
}

// serve answers one request with an API whose operations all call h.
func serve(t *testing.T, r *http.Request, h func(context.Context, *input) (*output, error)) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	a := web.NewAPI(mux, "v0")
	web.Get(a, "/get/{cluster}", "get-it", "Get it", h)
	web.Post(a, "/post", "post-it", "Post it", func(ctx context.Context, in *struct{ Body api.StopRequest }) (*output, error) {
		return h(ctx, &input{Cluster: in.Body.Reason})
	})
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r.WithContext(web.WithLogger(r.Context(), slog.New(slog.DiscardHandler))))
	return w
}

func get(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }

// problem returns the problem document of an answer.
func problem(t *testing.T, w *httptest.ResponseRecorder) api.Problem {
	t.Helper()
	var p api.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != api.ProblemType || p.Status != w.Code || !strings.HasPrefix(p.Type, "urn:vedette:problem:") || p.Title == "" {
		t.Errorf("no problem document: %d %s %s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	return p
}

func hello(ctx context.Context, in *input) (*output, error) {
	return &output{fmt.Sprintf("%s %d %s", in.Cluster, in.Limit, web.Query(ctx).Get("state"))}, nil
}

func TestAnswer(t *testing.T) {
	w := serve(t, get("/api/v1/get/a?limit=3&state=Running"), hello)
	if w.Code != http.StatusOK || w.Body.String() != `{"text":"a 3 Running"}` || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got status %d, %s, headers %v; want 200, the parameters and no-store", w.Code, w.Body, w.Header())
	}
	again := get("/api/v1/get/a?limit=3&state=Running")
	again.Header.Set("If-None-Match", w.Header().Get("ETag"))
	if w := serve(t, again, hello); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("with the tag: got status %d and %s, want 304 and no body", w.Code, w.Body)
	}
	other := get("/api/v1/get/a?limit=4&state=Running")
	other.Header.Set("If-None-Match", w.Header().Get("ETag"))
	if w := serve(t, other, hello); w.Code != http.StatusOK {
		t.Errorf("with the tag of another answer: got status %d and %s, want 200", w.Code, w.Body)
	}
}

// TestTag: a handler that sets a tag stops early if the client has the answer.
func TestTag(t *testing.T) {
	n, position := 0, 1
	h := func(ctx context.Context, _ *input) (*output, error) {
		if err := web.Tag(ctx, position); err != nil {
			return nil, err
		}
		n++
		return &output{fmt.Sprint("now ", n)}, nil
	}
	tag := serve(t, get("/api/v1/get/a"), h).Header().Get("ETag")
	r := get("/api/v1/get/a")
	r.Header.Set("If-None-Match", `"x", `+tag)
	if w := serve(t, r, h); w.Code != http.StatusNotModified || w.Header().Get("ETag") != tag || n != 1 {
		t.Errorf("with two tags: got status %d and headers %v, want 304 and the tag", w.Code, w.Header())
	}
	position = 2
	if w := serve(t, r, h); w.Code != http.StatusOK {
		t.Errorf("got status %v, want %v", w.Code, http.StatusOK)
	}
}

// TestProblems: each error is a problem document.
func TestProblems(t *testing.T) {
	fails := func(err error) func(context.Context, *input) (*output, error) {
		return func(context.Context, *input) (*output, error) { return nil, err }
	}
	for _, c := range []struct {
		name   string
		r      *http.Request
		err    error
		status int
		typ    string
		logged bool
	}{
		{"no such path", get("/api/v1/nothing"), nil, 404, api.ProblemUnknown, false},
		{"no such method", httptest.NewRequest(http.MethodDelete, "/api/v1/get/a", nil), nil, 405, api.ProblemInvalid, false},
		{"a parameter", get("/api/v1/get/a?limit=501"), nil, 422, api.ProblemInvalid, false},
		{"a body that is not JSON", httptest.NewRequest(http.MethodPost, "/api/v1/post", strings.NewReader("{")), nil, 400, api.ProblemInvalid, false},
		{"an unknown field", httptest.NewRequest(http.MethodPost, "/api/v1/post", strings.NewReader(`{"x":1}`)), nil, 422, api.ProblemInvalid, false},
		{"a large body", httptest.NewRequest(http.MethodPost, "/api/v1/post", strings.NewReader(`{"reason":"`+strings.Repeat("x", web.BodyLimit)+`"}`)), nil, 413, api.ProblemTooLarge, false},
		{"a problem", get("/api/v1/get/a"), fmt.Errorf("read: %w", web.Gone("gone")), 410, api.ProblemGone, false},
		{"an unknown error", get("/api/v1/get/a"), errors.New("hunter2"), 500, api.ProblemFault, true},
		{"a database", get("/api/v1/get/a"), &sqldb.Error{Database: "hunter2", Err: errors.New("hunter2")}, 504, api.ProblemDatabase, true},
		{"a job that is finished", get("/api/v1/get/a"), &submit.FinishedError{Job: "job/x"}, 409, api.ProblemConflict, false},
		{"a denied job", get("/api/v1/get/a"), &submit.DeniedError{Verb: "create", Role: "kind: Role"}, 403, api.ProblemDenied, false},
		{"an invalid job", get("/api/v1/get/a"), &submit.InvalidError{Problems: []submit.Problem{{Field: "spec", Message: "no"}}}, 422, api.ProblemInvalid, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := serve(t, c.r, fails(c.err))
			p := problem(t, w)
			if p.Status != c.status || p.Type != c.typ || (p.Instance != "") != c.logged || strings.Contains(w.Body.String(), "hunter2") {
				t.Errorf("got %s, want status %d, type %s, instance %t and no secret", w.Body, c.status, c.typ, c.logged)
			}
		})
	}
}

// TestLimit: an operation that exceeds its time limit becomes a problem with the limit.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, get("/api/v1/get/a"), func(ctx context.Context, _ *input) (*output, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if p := problem(t, w); p.Status != 504 || p.Detail != "The database did not answer in 5 s." || len(p.Instance) != 8 {
			t.Errorf("got %s, want 504 with an instance", w.Body)
		}
	})
}

// TestDocument: the OpenAPI document has the operations, their problems and the version.
func TestDocument(t *testing.T) {
	w := serve(t, get(web.DocumentPath), hello)
	var doc huma.OpenAPI
	if err := json.Unmarshal(w.Body.Bytes(), &struct {
		Info  **huma.Info
		Paths *map[string]*huma.PathItem
	}{&doc.Info, &doc.Paths}); err != nil {
		t.Fatalf("not JSON: %v, %s", err, w.Body)
	}
	item := doc.Paths["/api/v1/get/{cluster}"]
	if doc.Info.Version != "v0" || item == nil || item.Get.OperationID != "get-it" || item.Get.Responses["200"] == nil || item.Get.Responses["default"] == nil || !strings.Contains(w.Body.String(), `"scheme":"bearer"`) {
		t.Errorf("got %s, want the operation with its answers and the bearer scheme", w.Body)
	}
}
