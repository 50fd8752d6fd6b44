package identity

import (
	"context"
	"crypto/hmac"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// Paths below /auth/.
const (
	pathAuth    = "/auth/"
	pathToken   = "/auth/token"
	pathOIDC    = "/auth/oidc"
	pathMethods = "/auth/methods"
	pathStyle   = "/auth/style.css"
)

// formTime is the time limit for sending the form, which is small.
const formTime = 5 * time.Second

// attemptFor is the time limit of a sign-in with a provider.
const attemptFor = 10 * time.Minute

//go:embed page.html style.css
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.html"))

// signIn serves the paths below /auth/, and sign-out.
type signIn struct {
	auth        *authenticator
	rate        *web.Throttle // by address
	unsubscribe *unsubscriber // nil: the portal sends no links
}

// Rate limits of an address for the paths below /auth/, and for sign-out.
const (
	ratePerSecond = 50
	rateAtOnce    = 500
)

func newSignIn(d *authenticator, unsubscribe func(context.Context, string) (bool, error)) *signIn {
	s := &signIn{auth: d, rate: web.NewThrottle(ratePerSecond, rateAtOnce)}
	if unsubscribe != nil {
		s.unsubscribe = &unsubscriber{stop: unsubscribe, log: d.log}
	}
	return s
}

// serve answers a request for a path below /auth/.
func (s *signIn) serve(w http.ResponseWriter, r *http.Request, address string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	if s.byLocal(w, r) { // all users of this machine have one address, so they would share a rate limit
		return
	}
	if wait := s.rate.Take(hostOf(address).String()); wait > 0 {
		refuse(w, tooMany(int(wait/time.Second)+1))
		return
	}
	if token, ok := strings.CutPrefix(r.URL.Path, pathUnsubscribe); ok && s.unsubscribe != nil {
		s.unsubscribe.serve(w, r, token)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET " + pathAuth:
		s.show(w, r, http.StatusOK, "")
	case "GET " + pathStyle:
		text, _ := files.ReadFile("style.css") // it is embedded
		h.Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(text) // the browser may have disconnected
	case "GET " + pathMethods:
		h.Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.methods()) // the client may have disconnected
	case "POST " + pathToken:
		s.byToken(w, r, address)
	case "GET " + pathOIDC:
		s.toProvider(w, r)
	case "GET " + pathCallback:
		s.fromProvider(w, r, address)
	default:
		refuse(w, &api.Problem{Type: api.ProblemUnknown, Title: "No such page", Status: http.StatusNotFound, Detail: "Open /auth/ to sign in."})
	}
}

// methods answers with the ways to sign in, for the command line.
func (s *signIn) methods() api.SignInMethods {
	m := api.SignInMethods{Demanded: s.auth.demands, Local: s.auth.local != nil, Token: s.auth.tokens != nil, Kubernetes: s.auth.reviewer != nil, Audience: s.auth.audience}
	if p := s.auth.provider; p != nil {
		m.OIDC = &api.SignInOIDCMethod{Issuer: p.cfg.Issuer, ClientID: p.cfg.ClientID, Audiences: p.cfg.Audiences, Scopes: p.scopes()}
	}
	return m
}

// show writes the sign-in page.
func (s *signIn) show(w http.ResponseWriter, r *http.Request, status int, problem string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	language := web.Language(r)
	_ = page.Execute(w, map[string]any{ // the browser may be gone
		"Lang": language, "Theme": themeOf(r), "W": wordsOf[language],
		"To": destination(r.FormValue("to")), "Problem": said(problem, language), "Demanded": s.auth.demands, "Local": s.auth.local != nil,
		"Token": s.auth.tokens != nil || s.auth.reviewer != nil, "OIDC": s.auth.provider != nil, "Several": s.auth.several, "Audience": s.auth.audience,
		"ToOIDC": pathOIDC + "?" + url.Values{"to": {destination(r.FormValue("to"))}}.Encode(),
	})
}

// destination returns the path to open after a sign-in. It never leads to another site.
func destination(to string) string {
	u, err := url.Parse(to)
	switch {
	case err != nil, u.Scheme != "", u.Host != "", u.User != nil, u.Opaque != "":
	case !strings.HasPrefix(to, "/"), strings.HasPrefix(to, "//"), strings.ContainsAny(to, "\\\t\r\n"):
	case strings.HasPrefix(u.Path, "//"), strings.Contains(u.Path, "\\"), strings.HasPrefix(u.Path, pathAuth), len(to) > 2000:
	default:
		return u.String()
	}
	return "/"
}

// byToken begins a session with a pasted token.
func (s *signIn) byToken(w http.ResponseWriter, r *http.Request, address string) {
	r.Body = http.MaxBytesReader(w, r.Body, 2*maxBearer)
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime)) // a test has no connection
	if err := r.ParseForm(); err != nil || r.URL.Query().Has("token") {         // URLs are logged, so a token in a URL is refused
		s.show(w, r, http.StatusBadRequest, "The form cannot be read. Paste the token again.")
		return
	}
	token := strings.TrimSpace(r.PostForm.Get("token"))
	if token == "" || len(token) > maxBearer || !s.auth.demands {
		s.show(w, r, http.StatusBadRequest, "The token is missing. Paste it again.")
		return
	}
	person, one, err := s.auth.recognize(r.Context(), token, strings.TrimSpace(r.PostForm.Get("cluster")), address)
	if err != nil {
		s.failed(w, r, err)
		return
	}
	s.begin(w, r, person, one, destination(r.PostForm.Get("to")))
}

// maxNonce is the maximum size of a nonce, in bytes.
const maxNonce = 128

// byLocal answers the requests for the paths of the local token. It returns false for other paths,
// and for portals that take no local token.
func (s *signIn) byLocal(w http.ResponseWriter, r *http.Request) bool {
	l, q := s.auth.local, r.URL.Query()
	if l == nil || r.Method != http.MethodGet {
		return false
	}
	switch r.URL.Path {
	case api.PathLocal:
		if !l.is(q.Get("token")) {
			s.show(w, r, http.StatusUnauthorized, wrongLocal)
			return true
		}
		http.SetCookie(w, l.cookie(r))
		http.Redirect(w, r, destination(q.Get("to")), http.StatusSeeOther)
	case api.PathLocalProof:
		nonce := q.Get("nonce")
		at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if !ok || nonce == "" || len(nonce) > maxNonce {
			refuse(w, errNonce)
			return true
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(api.LocalProof{Proof: LocalProof(l.token, nonce, at)}) // the client may have disconnected
	default:
		return false
	}
	return true
}

// begin writes a session and redirects the browser. It ends an earlier session.
func (s *signIn) begin(w http.ResponseWriter, r *http.Request, person Person, mark session, to string) {
	if before, ok := s.auth.sessions.read(r); ok {
		s.auth.sessions.end(With(r.Context(), before.person()), before)
	}
	one := s.auth.sessions.begin(person, person.Expires)
	one.Print, one.Token, one.Cluster = mark.Print, mark.Token, mark.Cluster
	if one.Print != "" || one.Token != "" {
		one.Groups, one.Names = nil, nil // they are fetched again
	}
	if err := s.auth.sessions.write(w, one); err != nil {
		s.auth.log.Error("the session cannot be written to a cookie", "person", person.ID(), "err", err)
		s.show(w, r, http.StatusInternalServerError, "You have more groups than a browser can keep. Ask the administrator of the portal.")
		return
	}
	s.auth.log.Info("a person signed in", "person", person.ID(), "how", person.SignIn)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// failed shows the reason why a sign-in failed.
func (s *signIn) failed(w http.ResponseWriter, r *http.Request, err error) {
	p := errToken
	errors.As(err, &p)
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	s.show(w, r, p.Status, p.Title+". "+p.Detail)
}

// purposeAttempt is the purpose of sealed attempts.
const purposeAttempt = "attempt"

// toProvider redirects the browser to the identity provider.
func (s *signIn) toProvider(w http.ResponseWriter, r *http.Request) {
	if s.auth.provider == nil {
		s.show(w, r, http.StatusNotFound, "This portal has no identity provider.")
		return
	}
	a := attempt{
		State: randomText(), Nonce: randomText(), Verifier: oauth2.GenerateVerifier(),
		To: destination(r.FormValue("to")), Until: s.auth.now().Add(attemptFor).Unix(),
	}
	ctx, cancel := context.WithTimeout(r.Context(), providerTimeout)
	defer cancel()
	address, err := s.auth.provider.address(ctx, a)
	if err == nil {
		var sealed string
		if sealed, err = s.auth.sealer.seal(purposeAttempt, a); err == nil {
			http.SetCookie(w, s.auth.sessions.cookie("attempt", sealed, attemptFor))
			http.Redirect(w, r, address, http.StatusSeeOther)
			return
		}
	}
	s.auth.log.Warn("the identity provider cannot be reached", "issuer", s.auth.provider.cfg.Issuer, "err", err)
	s.failed(w, r, errProvider)
}

// fromProvider completes a sign-in with the identity provider.
func (s *signIn) fromProvider(w http.ResponseWriter, r *http.Request, address string) {
	var a attempt
	kept, err := r.Cookie(s.auth.sessions.name("attempt"))
	http.SetCookie(w, s.auth.sessions.cookie("attempt", "", -1))
	if s.auth.provider == nil || err != nil || s.auth.sealer.open(purposeAttempt, kept.Value, &a) != nil ||
		s.auth.now().Unix() >= a.Until || !hmac.Equal([]byte(a.State), []byte(r.URL.Query().Get("state"))) {
		s.show(w, r, http.StatusBadRequest, "This sign-in has expired, or another one began. Sign in again.")
		return
	}
	if r.URL.Query().Get("error") != "" { // its message is not shown
		s.show(w, r, http.StatusUnauthorized, "The identity provider refused. Sign in again, or ask its administrator.")
		return
	}
	code := r.URL.Query().Get("code")
	if wait := s.auth.throttle.begin(address, code, s.auth.now()); wait > 0 {
		s.failed(w, r, tooMany(wait))
		return
	}
	defer s.auth.throttle.end(address, code)
	person, err := s.auth.provider.redeem(r.Context(), a, code)
	if err != nil {
		s.auth.throttle.failed(address, s.auth.now())
		s.auth.log.Warn("a sign-in failed", "address", address, "reason", err.Error())
		s.failed(w, r, err)
		return
	}
	person.Expires = time.Time{} // an ID token lasts minutes; the session has a lifetime of its own
	s.begin(w, r, person, session{}, a.To)
}

// out signs out: it ends the session of a request.
func (s *signIn) out(w http.ResponseWriter, r *http.Request) {
	if wait := s.rate.Take(hostOf(Address(r.Context())).String()); wait > 0 {
		refuse(w, tooMany(int(wait/time.Second)+1))
		return
	}
	if one, ok := s.auth.sessions.read(r); ok {
		s.auth.sessions.end(r.Context(), one)
	}
	s.auth.sessions.clear(w, r)
	w.WriteHeader(http.StatusNoContent)
}
