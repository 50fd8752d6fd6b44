package kube

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/util/net"
)

// maxWarnings bounds how many warnings of one answer are reported.
const maxWarnings = 50

// persistentWarning is the only code of warnings that API servers send.
const persistentWarning = 299

type warningsKey struct{}

// WithWarnings returns a context that passes each warning of a server to warned, for
// example about deprecated types, about unknown fields, or from admission. The function
// is called on the goroutine that sends the request, before the request returns, with the
// text as the server sent it. It replaces the function of a parent context.
func WithWarnings(ctx context.Context, warned func(text string)) context.Context {
	return context.WithValue(ctx, warningsKey{}, warned)
}

// reportWarnings passes the warnings of an answer to the function of WithWarnings.
func reportWarnings(ctx context.Context, header http.Header) {
	warned, _ := ctx.Value(warningsKey{}).(func(string))
	texts := header["Warning"]
	if warned == nil || len(texts) == 0 {
		return
	}
	parsed, _ := net.ParseWarningHeaders(texts[:min(len(texts), maxWarnings)]) // invalid headers are skipped
	for _, w := range parsed[:min(len(parsed), maxWarnings)] {
		if w.Code == persistentWarning {
			warned(w.Text)
		}
	}
}
