package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/stacktrace"
)

// Timeouts of functions.
const (
	admissionTimeout = 10 * time.Second // default timeoutSeconds of a webhook
	maxTimeout       = 30 * time.Second // maximum timeoutSeconds, and the timeout of a conversion
)

// Handler answers the reviews of one path. Create it with Validate, Mutate or Convert.
type Handler interface {
	// check returns an invalid configuration.
	check() error
	// timeout returns the timeout of a review whose sender waits for asked; 0 is unknown.
	timeout(asked time.Duration) time.Duration
	// maxBody returns the default of Config.MaxBody.
	maxBody() int64
	// serve answers one review.
	serve(ctx context.Context, body []byte) result
}

// outcome is the result of a request, for metrics.
type outcome int

const (
	succeeded outcome = iota // allowed, or converted
	denied
	failed  // by the function
	refused // not a review
)

func (o outcome) String() string { return [...]string{"succeeded", "denied", "failed", "refused"}[o] }

// result is the answer to a review.
type result struct {
	answer  any // nil if there is only err
	outcome outcome
	err     error // of failed and refused
}

// invalid is the result for a body that is not a review.
func invalid(format string, args ...any) result {
	return result{outcome: refused, err: fmt.Errorf(format, args...)}
}

// endpoint is a path with its handler.
type endpoint struct {
	path    string
	handler Handler
	maxBody int64
	slots   chan struct{} // of the server: one element for each request that is processed
	metrics metrics
	logger  func() *slog.Logger

	mu     sync.Mutex
	faults faultlog.History
}

// ServeHTTP answers a review.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	res, code := e.answer(w, r)
	e.metrics.count(e.path, res.outcome.String(), time.Since(begin))
	e.log(res)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if res.answer == nil {
		http.Error(w, res.err.Error(), code)
		return
	}
	text, err := json.Marshal(res.answer)
	if err != nil {
		http.Error(w, fmt.Sprintf("encode the answer: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the API server may have disconnected
}

// answer reads a review and calls the handler. code is the status if there is no answer.
func (e *endpoint) answer(w http.ResponseWriter, r *http.Request) (res result, code int) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return invalid("the content type is not application/json"), http.StatusUnsupportedMediaType
	}
	asked, _ := time.ParseDuration(r.URL.Query().Get("timeout")) // API servers add it
	limit := e.handler.timeout(asked)
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	// A client that sends slowly must not keep a slot for long. In tests there is no connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit))
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return result{outcome: failed, err: fmt.Errorf("%d other requests are processed: %w", cap(e.slots), ctx.Err())}, http.StatusServiceUnavailable
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.maxBody))
	if err != nil {
		return invalid("read the body: %w", err), http.StatusBadRequest
	}
	if res = e.call(ctx, body); res.outcome == refused {
		return res, http.StatusBadRequest
	}
	return res, http.StatusInternalServerError
}

// call calls the handler. A panic is a failure.
func (e *endpoint) call(ctx context.Context, body []byte) (res result) {
	defer func() {
		if p := recover(); p != nil {
			e.logger().Error("the function of a webhook has panicked", "path", e.path, "panic", fmt.Sprint(p), "stack", stacktrace.Line(debug.Stack()))
			res = result{outcome: failed, err: fmt.Errorf("the function of %s has panicked; the log of the webhook has the stack", e.path)}
		}
	}()
	return e.handler.serve(ctx, body)
}

// log logs when failures of the path begin, change and are over.
func (e *endpoint) log(res result) {
	state := faultlog.State{}
	if res.outcome == failed || res.outcome == refused {
		state = faultlog.State{Kind: res.outcome.String(), Err: res.err}
	}
	e.mu.Lock()
	line, due, _ := e.faults.See(time.Now(), state)
	e.mu.Unlock()
	switch {
	case !due:
	case line.State.Err == nil:
		e.logger().Info("the webhook answers again", "path", e.path, "after", line.Lasted.Round(time.Second).String())
	default:
		e.logger().Error("the webhook has failed", "path", e.path, "err", line.State.Err, "suppressed", line.Suppressed)
	}
}
