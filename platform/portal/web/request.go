package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
)

type contextKey int

const (
	keyRequest contextKey = iota
	keyLogger
	keyTagger
	keyLimit
)

// Request returns the HTTP request of an operation's handler. It is nil outside of a handler.
func Request(ctx context.Context) *http.Request {
	r, _ := ctx.Value(keyRequest).(*http.Request)
	return r
}

// Query returns the URL parameters of a handler's request. Filters have names that are not fields
// of a Go type, so handlers parse them from here.
func Query(ctx context.Context) url.Values {
	if r := Request(ctx); r != nil {
		return r.URL.Query()
	}
	return nil
}

// LanguageOf returns the language of a handler's answer: English or Chinese.
func LanguageOf(ctx context.Context) string {
	if r := Request(ctx); r != nil {
		return Language(r)
	}
	return English
}

// WithLogger returns a context that logs faults to logger.
func WithLogger(ctx context.Context, logger *slog.Logger) context.Context {
	return context.WithValue(ctx, keyLogger, logger)
}

// Logger returns the logger of a request, or else slog.Default().
func Logger(ctx context.Context) *slog.Logger {
	if l, ok := ctx.Value(keyLogger).(*slog.Logger); ok && l != nil {
		return l
	}
	return slog.Default()
}

// withRequest returns a context with the request that is answered.
func withRequest(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, keyRequest, r)
}
