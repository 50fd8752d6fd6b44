package identity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Identity authenticates requests.
type Identity struct {
	auth   *authenticator
	signIn *signIn
	guard  *guard
	open   []string
}

// New returns an Identity. It reads the files of the configuration and sends no requests.
//
// Errors: no way to sign in is configured, and the address is not loopback or there is no local
// token; a value or a file of the configuration is invalid.
func New(cfg Config) (*Identity, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	demands := cfg.Tokens != "" || cfg.OIDC != nil || cfg.Proxy != nil || cfg.Review != nil
	local := cfg.Listen == "" || Loopback(cfg.Listen)
	if !local && !demands {
		return nil, fmt.Errorf("%s is not a loopback address, and no sign-in is configured: configure tokens, OIDC, the clusters or a trusted proxy, or listen on 127.0.0.1", cfg.Listen)
	}
	if err := cfg.checkLocal(demands); err != nil {
		return nil, err
	}
	public, err := publicURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	secure := cfg.TLS || public != nil && public.Scheme == "https" || cfg.Proxy != nil
	if !secure && !local {
		cfg.Logger.Warn("the portal serves plain HTTP on the network, which exposes tokens; use TLS, or set the https address of the proxy in front", "listen", cfg.Listen)
	}
	d := &authenticator{demands: demands, log: cfg.Logger, now: time.Now}
	if err := d.fill(cfg, public, secure); err != nil {
		return nil, err
	}
	g, err := newGuard(!demands, cfg.Hosts, public)
	if err != nil {
		return nil, err
	}
	return &Identity{auth: d, signIn: newSignIn(d, cfg.Unsubscribe), guard: g, open: cfg.Open}, nil
}

// checkLocal checks the settings of a portal without sign-in.
func (cfg *Config) checkLocal(demands bool) error {
	opened := cfg.LocalToken != "" || cfg.InsecureLoopback
	switch {
	case demands && opened:
		return errors.New("people sign in to this portal, so it takes neither a local token nor --insecure-loopback")
	case !demands && !opened:
		return errors.New("nobody can sign in to this portal, so it needs a local token, or --insecure-loopback for all users of this machine")
	case cfg.LocalToken != "" && cfg.InsecureLoopback:
		return errors.New("a portal with --insecure-loopback takes no local token")
	case cfg.LocalToken != "" && len(cfg.LocalToken) < minLocal:
		return fmt.Errorf("the local token has fewer than %d characters, so it can be guessed", minLocal)
	}
	return nil
}

// publicURL checks the address of the portal.
func publicURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("%q is not the address of a portal, such as https://vedette.example.com", text)
	}
	return u, nil
}

// RequiresSignIn reports whether sign-in is required.
func (i *Identity) RequiresSignIn() bool { return i.auth.demands }

// Handler returns a handler that authenticates requests before next serves them. It serves the
// paths below /auth/ and sign-out itself, and refuses writes that another site may have caused.
func (i *Identity) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context()) // the handler changes the headers
		if !i.guard.host(r) {
			refuse(w, errHost)
			return
		}
		address, trusted := i.auth.proxies.origin(r)
		if !trusted {
			i.auth.proxies.strip(r.Header)
		}
		if !i.guard.sameSite(r) {
			refuse(w, errCrossSite)
			return
		}
		if strings.HasPrefix(r.URL.Path, pathAuth) {
			i.signIn.serve(w, r, address)
			return
		}
		i.enter(w, r, address, trusted, next)
	})
}

// Named returns a handler that refuses requests for other hosts if sign-in is not required: another
// site could resolve its name to this machine (DNS rebinding). Use it for paths outside of Handler,
// such as /metrics.
func (i *Identity) Named(next http.Handler) http.Handler { return i.guard.named(next) }

// enter authenticates a request, or refuses it.
func (i *Identity) enter(w http.ResponseWriter, r *http.Request, address string, trusted bool, next http.Handler) {
	e, err := i.auth.authenticate(r, address, trusted)
	if err != nil && !i.isOpen(r) {
		i.reject(w, r, err)
		return
	}
	if err != nil {
		e = caller{}
	}
	if writes(r.Method) && !e.bearer && !i.auth.sealer.tagged(e.subject, r.Header.Get(HeaderCSRF)) {
		refuse(w, errForgery)
		return
	}
	if e.session != nil {
		i.auth.sessions.renew(w, *e.session)
	}
	ctx := withVisit(r.Context(), visit{person: e.person, address: address, csrf: i.auth.sealer.tag(e.subject), check: e.check})
	if r.Method == http.MethodDelete && r.URL.Path == api.Prefix+api.PathSessionAuth {
		i.signIn.out(w, r.WithContext(ctx))
		return
	}
	if !e.person.Expires.IsZero() { // a stream does not outlive its session
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, e.person.Expires, errSession)
		defer cancel()
	}
	next.ServeHTTP(w, r.WithContext(ctx))
}

// writes reports whether a method may change something.
func writes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// isOpen reports whether the path of a request needs no sign-in.
func (i *Identity) isOpen(r *http.Request) bool {
	if writes(r.Method) {
		return false
	}
	at := r.URL.Path
	if at != path.Clean(at) || at != r.URL.EscapedPath() { // the router might read it as another path
		return false
	}
	return slices.ContainsFunc(i.open, func(prefix string) bool {
		return at == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(at, prefix)
	})
}

// reject refuses a request, or redirects a browser to the sign-in page.
func (i *Identity) reject(w http.ResponseWriter, r *http.Request, err error) {
	var p *api.Problem
	if !errors.As(err, &p) { // the client has disconnected
		p = errReview
	}
	wants := r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
	if wants && p.Status == http.StatusUnauthorized {
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, pathAuth+"?"+url.Values{"to": {destination(r.URL.RequestURI())}}.Encode(), http.StatusSeeOther)
		return
	}
	refuse(w, p)
}

// Run reads the sessions that other replicas have ended, until ctx ends. Call it once, if
// Config.Endings is set.
func (i *Identity) Run(ctx context.Context) {
	i.auth.sessions.ended.run(ctx)
}

// EndSessions ends all sessions of a person that have begun, at all replicas within seconds. Tokens of
// the person are still accepted. The person of ctx has caused it.
//
// Errors: those of Config.Endings; other replicas then still accept the sessions.
func (i *Identity) EndSessions(ctx context.Context, person string) error {
	now := i.auth.sessions.now()
	return i.auth.sessions.ended.end(ctx, Ending{Person: person, Began: now.Truncate(time.Second)}, now)
}

// CSRF returns the token that writes of the context's session must send in [HeaderCSRF].
func (i *Identity) CSRF(ctx context.Context) string { return visitOf(ctx).csrf }
