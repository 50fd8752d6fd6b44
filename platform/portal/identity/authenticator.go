package identity

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// maxBearer is the maximum size of a token, in bytes.
const maxBearer = 16 << 10

// authenticator finds the person of a request.
type authenticator struct {
	demands  bool   // sign-in is required
	local    *local // nil: sign-in is required, or any user of this machine may enter
	sealer   *sealer
	sessions *sessions
	tokens   *tokenFile // nil: none
	provider *provider  // nil: none
	reviewer *reviewer  // nil: none
	several  bool       // the reviewer has several clusters
	audience string     // of tokens for the reviewer; it may be empty
	proxies  *proxies
	throttle throttle
	log      *slog.Logger
	now      func() time.Time
}

// fill creates the parts of the authenticator.
func (a *authenticator) fill(cfg Config, public *url.URL, secure bool) (err error) {
	if a.sealer, err = newSealer(cfg.Key); err != nil {
		return err
	}
	if a.sessions, err = newSessions(a.sealer, secure, &cfg); err != nil {
		return err
	}
	if a.proxies, err = newProxies(cfg.Proxy); err != nil {
		return err
	}
	if cfg.LocalToken != "" {
		a.local = &local{token: cfg.LocalToken, secure: secure}
	}
	if cfg.Tokens != "" {
		if a.tokens, err = newTokenFile(cfg.Tokens, cfg.Logger); err != nil {
			return err
		}
	}
	if cfg.OIDC != nil {
		if a.provider, err = newProvider(*cfg.OIDC, public); err != nil {
			return err
		}
	}
	if cfg.Review != nil {
		a.reviewer, a.several, a.audience = newReviewer(cfg.Review), cfg.Several, cfg.Audience
	}
	return nil
}

// caller is the authenticated sender of a request.
type caller struct {
	person  Person
	subject string // subject of the CSRF token
	bearer  bool   // the request has a bearer token, so no other site can send it
	session *session
	check   func(context.Context) error
}

// authenticate returns the sender of a request. trusted reports that a trusted proxy sent it.
//
// Errors: *api.Problem.
func (a *authenticator) authenticate(r *http.Request, address string, trusted bool) (caller, error) {
	if header := r.Header.Get("Authorization"); header != "" && a.demands {
		return a.byBearer(r, header, address)
	}
	if trusted {
		person, ok, err := a.proxies.person(r.Header)
		if ok || err != nil {
			return caller{person: person, subject: "proxy " + person.Name}, err
		}
	}
	if a.local != nil {
		return a.byLocal(r)
	}
	if !a.demands {
		return caller{person: Person{SignIn: api.SignInNone}, subject: "nobody"}, nil
	}
	one, ok := a.sessions.read(r)
	if !ok {
		return caller{}, errSignIn
	}
	person, err := a.bySession(r.Context(), one)
	check := func(ctx context.Context) error {
		_, err := a.bySession(ctx, one)
		return err
	}
	return caller{person: person, subject: "session " + one.ID, session: &one, check: check}, err
}

// byLocal returns the sender of a request with the local token.
//
// Errors: errLocal.
func (a *authenticator) byLocal(r *http.Request) (caller, error) {
	bearer, ok := a.local.entered(r)
	if !ok {
		return caller{}, errLocal
	}
	return caller{person: Person{SignIn: api.SignInNone}, subject: "nobody", bearer: bearer}, nil
}

// bySession returns the person of a session.
//
// Errors: errSession; errReview.
func (a *authenticator) bySession(ctx context.Context, one session) (Person, error) {
	if !a.sessions.lasts(one) {
		return Person{}, errSession
	}
	person, ok := one.person(), false
	var err error
	switch {
	case one.Print != "" && a.tokens != nil:
		var token namedToken
		if token, ok = a.tokens.printed(one.Name, one.Print); ok {
			person = token.person()
		}
	case one.Token != "" && a.reviewer != nil:
		person, ok, err = a.reviewer.review(ctx, one.Token, one.Cluster)
	case one.SignIn == api.SignInOIDC:
		ok = a.provider != nil
	}
	switch {
	case err != nil:
		return Person{}, err
	case !ok:
		return Person{}, errSession
	}
	person.Expires = time.Unix(one.Until, 0).UTC()
	return person, nil
}

// byBearer returns the sender for the token in the header Authorization.
func (a *authenticator) byBearer(r *http.Request, header, address string) (caller, error) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxBearer {
		return caller{}, errToken
	}
	cluster := r.Header.Get(api.HeaderCluster)
	person, _, err := a.recognize(r.Context(), token, cluster, address)
	check := func(ctx context.Context) error {
		_, _, err := a.recognize(ctx, token, cluster, address)
		return err
	}
	return caller{person: person, subject: "bearer", bearer: true, check: check}, err
}

// recognize returns the person of a token, and a session for the token that has no start time.
// cluster is the cluster of the token that the client has named, or empty.
//
// Errors: errToken, errReview, errProvider; problems of Config.Review; too many attempts.
func (a *authenticator) recognize(ctx context.Context, token, cluster, address string) (Person, session, error) {
	if wait := a.throttle.begin(address, token, a.now()); wait > 0 {
		return Person{}, session{}, tooMany(wait)
	}
	defer a.throttle.end(address, token)
	person, mark, err := a.identify(ctx, token, cluster)
	var known *api.Problem
	switch {
	case err == nil:
		a.throttle.succeeded(token, a.now())
		return person, mark, nil
	case errors.As(err, &known) && known != errToken:
		return Person{}, session{}, known
	case ctx.Err() != nil:
		return Person{}, session{}, context.Cause(ctx)
	}
	a.throttle.failed(address, a.now())
	a.log.Warn("a sign-in failed", "address", address, "reason", err.Error())
	return Person{}, session{}, errToken
}

// identify checks a token with the file, the provider and its cluster. Its errors do not contain
// the token.
func (a *authenticator) identify(ctx context.Context, token, cluster string) (Person, session, error) {
	if a.tokens != nil {
		if t, ok := a.tokens.find(token); ok {
			return t.person(), session{Print: t.print()}, nil
		}
	}
	failed := error(errToken)
	if a.provider != nil && strings.Count(token, ".") == 2 {
		person, err := a.provider.bearer(ctx, token)
		if err == nil {
			return person, session{}, nil
		}
		if failed = err; cluster == "" && a.provider.issued(token) {
			return Person{}, session{}, failed // clusters must not see it
		}
	}
	if a.reviewer != nil {
		person, ok, err := a.reviewer.review(ctx, token, cluster)
		if ok {
			return person, session{Token: token, Cluster: person.Cluster}, nil
		}
		if err != nil {
			failed = err
		}
	}
	return Person{}, session{}, failed
}
