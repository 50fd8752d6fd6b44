package kube

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/util/net"
)

// maxWarnings bounds how many warnings of one answer are reported.
const maxWarnings = 50

// maxLoggedWarnings bounds how many distinct warnings of a server are logged and remembered.
const maxLoggedWarnings = 1000

// persistentWarning is the only code of warnings that API servers send.
const persistentWarning = 299

type warningsKey struct{}

// WithWarnings returns a context that passes each warning of a server to warned, for
// example about deprecated types, about unknown fields, or from admission. The function
// is called on the goroutine that sends the request, before the request returns, with the
// text as the server sent it. It replaces the function of a parent context. Without this
// function, each distinct warning is logged once to Config.Logger.
func WithWarnings(ctx context.Context, warned func(text string)) context.Context {
	return context.WithValue(ctx, warningsKey{}, warned)
}

// warnings logs the warnings of a server, each distinct one once.
type warnings struct {
	logger func() *slog.Logger

	mu   sync.Mutex
	seen map[string]struct{}
}

// report passes the warnings of an answer to the function of WithWarnings, or logs them.
func (w *warnings) report(ctx context.Context, host string, header http.Header) {
	texts := header["Warning"]
	if len(texts) == 0 {
		return
	}
	warned, ok := ctx.Value(warningsKey{}).(func(string))
	if !ok {
		warned = func(text string) { w.log(ctx, host, text) }
	}
	if warned == nil {
		return
	}
	parsed, _ := net.ParseWarningHeaders(texts[:min(len(texts), maxWarnings)]) // invalid headers are skipped
	for _, one := range parsed[:min(len(parsed), maxWarnings)] {
		if one.Code == persistentWarning {
			warned(one.Text)
		}
	}
}

// log logs a warning unless it was logged before.
func (w *warnings) log(ctx context.Context, host, text string) {
	w.mu.Lock()
	_, known := w.seen[text]
	count := len(w.seen)
	if !known && count < maxLoggedWarnings {
		if w.seen == nil {
			w.seen = map[string]struct{}{}
		}
		w.seen[text] = struct{}{}
	}
	w.mu.Unlock()
	switch {
	case known || count >= maxLoggedWarnings:
	case count == maxLoggedWarnings-1:
		w.logger().WarnContext(ctx, "kube: the server warns; later warnings of it are not logged", "server", host, "warning", text)
	default:
		w.logger().WarnContext(ctx, "kube: the server warns", "server", host, "warning", text)
	}
}
