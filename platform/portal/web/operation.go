package web

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Limits of operations, unless an option changes them.
const (
	// WriteLimit is the time limit of an operation that writes.
	WriteLimit = 10 * time.Second
	// DryRunLimit is the time limit of a dry run. Admission webhooks may be slow.
	DryRunLimit = 30 * time.Second
	// BodyLimit is the maximum size of the body of a request in bytes; SubmitLimit applies to
	// requests with a job.
	BodyLimit   = 64 << 10
	SubmitLimit = 2 << 20
)

// Option changes an operation.
type Option func(*operation)

// Within sets the time limit of the operation.
func Within(d time.Duration) Option { return func(o *operation) { o.limit = d } }

// Body sets the maximum size of the body of a request, in bytes.
func Body(limit int64) Option { return func(o *operation) { o.MaxBodyBytes = limit + 1 } }

// First sets a check that a request must pass before its body is read. Its error becomes a problem.
func First(check func(*http.Request) error) Option {
	return func(o *operation) {
		o.Middlewares = append(o.Middlewares, func(c huma.Context, next func(huma.Context)) {
			r, w := humago.Unwrap(c)
			if err := check(r); err != nil {
				Fail(w, r, ProblemOf(r.Context(), err))
				return
			}
			next(c)
		})
	}
}

// Describe adds sentences to the description of the operation.
func Describe(text string) Option { return func(o *operation) { o.Description = text } }

// Problems documents further problems of the operation, as constants of package api. Its method,
// path and input already imply some.
func Problems(types ...string) Option {
	return func(o *operation) { o.problems = append(o.problems, types...) }
}

// Parameters documents parameters of the URL that are not fields of the input type, such as
// filters. Keys are names; values are descriptions.
func Parameters(named map[string]string) Option {
	return func(o *operation) {
		for _, name := range slices.Sorted(maps.Keys(named)) { // makes the document deterministic
			text := named[name]
			o.Parameters = append(o.Parameters, &huma.Param{Name: name, In: "query", Description: text, Schema: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}})
		}
	}
}

type operation struct {
	huma.Operation
	limit    time.Duration
	problems []string // types in addition to those of every operation
}

// Get registers an operation that reads. path is one of the constants of package api. id names the
// operation in the OpenAPI document: "list-jobs". The fields of I are parameters with huma's tags
// path, query and header. O is the JSON of the answer.
//
// An error of h becomes a problem document, see ProblemOf. The context of h ends after
// ReadTime.
func Get[I, O any](a huma.API, path, id, summary string, h func(context.Context, *I) (*O, error), options ...Option) {
	register(a, http.MethodGet, path, id, summary, ReadTime, jsonHandler(h), options, schemaOf[O])
}

// Post registers an operation that writes. The field Body of I is the JSON of the request.
// The rest is as for Get; the context of h ends after WriteLimit.
func Post[I, O any](a huma.API, path, id, summary string, h func(context.Context, *I) (*O, error), options ...Option) {
	register(a, http.MethodPost, path, id, summary, WriteLimit, jsonHandler(h), options, schemaOf[O])
}

// Delete registers an operation that removes something. The rest is as for Post.
func Delete[I, O any](a huma.API, path, id, summary string, h func(context.Context, *I) (*O, error), options ...Option) {
	register(a, http.MethodDelete, path, id, summary, WriteLimit, jsonHandler(h), options, schemaOf[O])
}

// Follow writes a stream of events until its context ends or the client disconnects. An error ends
// the stream; clients reconnect by themselves.
type Follow func(context.Context, *Events) error

// Stream registers an operation that reads, and answers with server-sent events or with JSON. h
// returns an answer, a Follow or an error. The time limit applies to h, not to its Follow.
func Stream[I, O any](a huma.API, path, id, summary string, h func(context.Context, *I) (*O, Follow, error), options ...Option) {
	handler := func(ctx context.Context, in *I, c *call) {
		out, follow, err := h(ctx, in)
		switch {
		case err != nil:
			c.fail(ctx, err)
		case follow != nil:
			c.follow(follow)
		default:
			answer(c.w, c.r, http.StatusOK, out, c.tag)
		}
	}
	register(a, http.MethodGet, path, id, summary, ReadTime, handler, options, schemaOf[O], func(_ huma.API, o *huma.Operation) {
		o.Responses["200"].Content["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	})
}

// call is one request.
type call struct {
	w   http.ResponseWriter
	r   *http.Request
	tag *tagger
}

func (c *call) fail(ctx context.Context, err error) {
	p := ProblemOf(ctx, err)
	if p.Status == http.StatusNotModified {
		c.w.Header().Set("Cache-Control", "no-store")
		c.w.Header().Set("ETag", etag(c.tag.parts))
		c.w.WriteHeader(p.Status)
		return
	}
	Fail(c.w, c.r, p)
}

func (c *call) follow(f Follow) {
	ctx := withRequest(c.r.Context(), c.r)
	e, err := NewEvents(c.w)
	if err != nil {
		return
	}
	if err := f(ctx, e); err != nil && ctx.Err() == nil {
		Logger(ctx).DebugContext(ctx, "a stream ended", "path", c.r.URL.Path, "err", err)
	}
}

// jsonHandler returns a handler that answers with JSON.
func jsonHandler[I, O any](h func(context.Context, *I) (*O, error)) func(context.Context, *I, *call) {
	return func(ctx context.Context, in *I, c *call) {
		out, err := h(ctx, in)
		if err != nil {
			c.fail(ctx, err)
			return
		}
		answer(c.w, c.r, http.StatusOK, out, c.tag)
	}
}

// written is the output of a handler that writes its answer itself.
type written struct{ Body func(huma.Context) }

// register registers an operation with a handler that writes its answer.
func register[I any](a huma.API, method, path, id, summary string, limit time.Duration, h func(context.Context, *I, *call), options []Option, document ...func(huma.API, *huma.Operation)) {
	o := operation{Operation: huma.Operation{Method: method, Path: api.Prefix + path, OperationID: id, Summary: summary, MaxBodyBytes: BodyLimit + 1}, limit: limit}
	for _, option := range options {
		option(&o)
	}
	o.Responses = refusals(&o.Operation, reflect.TypeFor[I](), o.problems, schemaOfProblem(a))
	o.Responses["200"] = &huma.Response{Description: "The answer", Content: map[string]*huma.MediaType{}}
	for _, d := range document {
		d(a, &o.Operation)
	}
	within := o.limit
	huma.Register(a, o.Operation, func(_ context.Context, in *I) (*written, error) {
		return &written{func(c huma.Context) {
			r, w := humago.Unwrap(c)
			call := &call{w, r, &tagger{}}
			ctx, cancel := withLimit(withRequest(r.Context(), r), within)
			defer cancel()
			h(context.WithValue(ctx, keyTagger, call.tag), in, call)
		}}, nil
	})
}

// Document adds an operation without content to the document; another handler serves it.
func Document(a huma.API, method, path, id, summary string) {
	o := &huma.Operation{Method: method, Path: api.Prefix + path, OperationID: id, Summary: summary}
	o.Responses = refusals(o, reflect.TypeFor[struct{}](), nil, schemaOfProblem(a))
	o.Responses["204"] = &huma.Response{Description: "It is done"}
	a.OpenAPI().AddOperation(o)
}

func schemaOfProblem(a huma.API) *huma.Schema {
	return a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[api.Problem](), true, "Problem")
}

// schemaOf documents the answer of an operation.
func schemaOf[O any](a huma.API, o *huma.Operation) {
	schema := a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[O](), true, o.OperationID)
	o.Responses["200"].Content["application/json"] = &huma.MediaType{Schema: schema}
}
