package identity

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/vedette-io/vedette/portal/api"
)

// maxBearer bounds a token, in bytes.
const maxBearer = 16 << 10

// door finds out who sends a request.
type door struct {
	demands  bool // people have to sign in
	sealer   *sealer
	sessions *sessions
	tokens   *tokenFile // nil: none
	provider *provider  // nil: none
	reviewer *reviewer  // nil: none
	proxies  *proxies
	throttle throttle
	log      *slog.Logger
	now      func() time.Time
}

// fill makes the parts of the door.
func (d *door) fill(cfg Config, public *url.URL, secure bool) (err error) {
	if d.sealer, err = newSealer(cfg.Key); err != nil {
		return err
	}
	if d.sessions, err = newSessions(d.sealer, secure, cfg.Lifetime, cfg.Idle, newEnded(cfg.Endings, cfg.Logger)); err != nil {
		return err
	}
	if d.proxies, err = newProxies(cfg.Proxy); err != nil {
		return err
	}
	if cfg.Tokens != "" {
		if d.tokens, err = newTokenFile(cfg.Tokens, cfg.Logger); err != nil {
			return err
		}
	}
	if cfg.OIDC != nil {
		if d.provider, err = newProvider(*cfg.OIDC, public); err != nil {
			return err
		}
	}
	if cfg.Review != nil {
		d.reviewer = newReviewer(cfg.Review)
	}
	return nil
}

// entrant is the sender of a request.
type entrant struct {
	person  Person
	subject string // what the CSRF token is bound to
	bearer  bool   // the request itself has the token, so no other site can send it
	session *session
	check   func(context.Context) error
}

// enter returns the sender of a request. trusted reports that a proxy sent it.
//
// Errors: *api.Problem.
func (d *door) enter(r *http.Request, address string, trusted bool) (entrant, error) {
	if header := r.Header.Get("Authorization"); header != "" && d.demands {
		return d.byBearer(r, header, address)
	}
	if trusted {
		person, ok, err := d.proxies.person(r.Header)
		if ok || err != nil {
			return entrant{person: person, subject: "proxy " + person.Name}, err
		}
	}
	if !d.demands {
		return entrant{person: Person{SignIn: api.SignInNone}, subject: "nobody"}, nil
	}
	one, ok := d.sessions.read(r)
	if !ok {
		return entrant{}, errSignIn
	}
	person, err := d.bySession(r.Context(), one)
	check := func(ctx context.Context) error {
		_, err := d.bySession(ctx, one)
		return err
	}
	return entrant{person: person, subject: "session " + one.ID, session: &one, check: check}, err
}

// bySession returns the person of a session.
//
// Errors: errSession; errReview.
func (d *door) bySession(ctx context.Context, one session) (Person, error) {
	if !d.sessions.lasts(one) {
		return Person{}, errSession
	}
	person, ok := one.person(), false
	var err error
	switch {
	case one.Print != "" && d.tokens != nil:
		var token namedToken
		if token, ok = d.tokens.printed(one.Name, one.Print); ok {
			person = token.person()
		}
	case one.Token != "" && d.reviewer != nil:
		person, ok, err = d.reviewer.review(ctx, one.Token)
	case one.SignIn == api.SignInOIDC:
		ok = d.provider != nil
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

// byBearer returns the sender whose token is in the header Authorization.
func (d *door) byBearer(r *http.Request, header, address string) (entrant, error) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxBearer {
		return entrant{}, errToken
	}
	person, _, err := d.recognize(r.Context(), token, address)
	check := func(ctx context.Context) error {
		_, _, err := d.recognize(ctx, token, address)
		return err
	}
	return entrant{person: person, subject: "bearer", bearer: true, check: check}, err
}

// recognize returns the person of a token, and a session without a beginning that stands for
// the token.
//
// Errors: errToken, errReview, errProvider; too many attempts.
func (d *door) recognize(ctx context.Context, token, address string) (Person, session, error) {
	if wait := d.throttle.begin(address, token, d.now()); wait > 0 {
		return Person{}, session{}, tooMany(wait)
	}
	defer d.throttle.end(address, token)
	person, mark, err := d.identify(ctx, token)
	var known *api.Problem
	switch {
	case err == nil:
		d.throttle.succeeded(token, d.now())
		return person, mark, nil
	case errors.As(err, &known) && known != errToken:
		return Person{}, session{}, known
	case ctx.Err() != nil:
		return Person{}, session{}, context.Cause(ctx)
	}
	d.throttle.failed(address, d.now())
	d.log.Warn("a sign-in has failed", "address", address, "reason", err.Error())
	return Person{}, session{}, errToken
}

// identify asks all who may know a token. Its errors do not tell the token.
func (d *door) identify(ctx context.Context, token string) (Person, session, error) {
	if d.tokens != nil {
		if t, ok := d.tokens.find(token); ok {
			return t.person(), session{Print: t.print()}, nil
		}
	}
	failed := error(errToken)
	if d.provider != nil && strings.Count(token, ".") == 2 {
		person, err := d.provider.bearer(ctx, token)
		if err == nil {
			return person, session{}, nil
		}
		failed = err
	}
	if d.reviewer != nil {
		person, ok, err := d.reviewer.review(ctx, token)
		if ok {
			return person, session{Token: token}, nil
		}
		if err != nil {
			failed = err
		}
	}
	return Person{}, session{}, failed
}
