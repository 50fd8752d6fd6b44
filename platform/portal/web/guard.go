package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// policy allows only the portal's own resources: no inline scripts or styles, and no other sites.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// maxURL is the maximum size of the path and the parameters of a request, in bytes.
const maxURL = 8 << 10

// restTime is how long a client may take to send the rest of a body that the handler has not read.
const restTime = time.Second

// Guard wraps the handler of the whole portal. It sets the headers that restrict browsers, answers
// panics as faults, and adds a logger to each request. secure means that browsers reach the portal
// by HTTPS only. logger may be nil.
func Guard(next http.Handler, secure bool, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()")
		h.Set("X-Robots-Tag", "noindex")
		h.Set("Cache-Control", "no-store") // unless the handler sets another value
		if secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if logger != nil {
			r = r.WithContext(WithLogger(r.Context(), logger))
		}
		t := &tracked{ResponseWriter: w}
		defer recovered(t, r)
		if len(r.RequestURI) > maxURL || strings.ContainsRune(r.URL.Path, 0) {
			p := Invalid(fmt.Sprintf("The path and the parameters may have %d bytes, and no zero bytes.", maxURL))
			p.Status = http.StatusBadRequest
			Fail(t, r, p)
			return
		}
		next.ServeHTTP(t, r)
		if r.ContentLength != 0 { // nobody reads the rest of the body, so its sender must not keep the connection open
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime))
		}
	})
}

// tracked records whether an answer has begun.
type tracked struct {
	http.ResponseWriter
	began bool
}

// WriteHeader implements http.ResponseWriter.
func (t *tracked) WriteHeader(status int) {
	t.began = true
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *tracked) Write(b []byte) (int, error) {
	t.began = true
	return t.ResponseWriter.Write(b)
}

// Unwrap serves http.ResponseController.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// recovered answers a panic. Its text goes to the log only.
func recovered(t *tracked, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	p := Fault()
	if err, ok := cause.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
		ctx := context.WithoutCancel(r.Context())
		Logger(ctx).ErrorContext(ctx, "a request panicked", "instance", p.Instance, "method", r.Method, "path", r.URL.Path, "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
	}
	if !t.began {
		Fail(t, r, p)
	}
}
