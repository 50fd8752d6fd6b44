package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/tokenstore"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// issuer is an identity provider with a device flow, and a portal that accepts its tokens.
type issuer struct {
	*httptest.Server

	mu     sync.Mutex
	asked  int  // for a token
	serial int  // of the last token
	refuse bool // to renew
	lasts  time.Duration
	names  string // the provider that the portal names; empty for itself
}

// idToken returns a token that ends after a time. Nobody checks its signature here.
func idToken(serial int, lasts time.Duration) string {
	claims := fmt.Sprintf(`{"sub":"ann","n":%d,"exp":%d}`, serial, time.Now().Add(lasts).Unix())
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbmF0dXJl"
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{lasts: time.Hour}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

// ServeHTTP implements http.Handler.
func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	status, answer := http.StatusOK, any(nil)
	switch r.URL.Path {
	case api.PathSignInMethods:
		answer = api.SignInMethods{Demanded: true, OIDC: &api.SignInOIDCMethod{Issuer: cmp.Or(i.names, i.URL), ClientID: "web", Audiences: []string{"cli"}, Scopes: []string{"openid", "offline_access"}}}
	case "/.well-known/openid-configuration":
		answer = map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token", "device_authorization_endpoint": i.URL + "/device", "jwks_uri": i.URL + "/keys"}
	case "/device":
		answer = map[string]any{"device_code": "secret-device-code", "user_code": "WDJB-MJHT", "verification_uri": "https://id.example.com/device", "interval": 1, "expires_in": 60}
	case "/token":
		i.asked++
		switch {
		case r.FormValue("client_id") != "cli", i.refuse && r.FormValue("grant_type") == "refresh_token":
			status, answer = http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": r.FormValue("refresh_token")}
		case i.asked == 1:
			status, answer = http.StatusBadRequest, map[string]any{"error": "authorization_pending"}
		default:
			i.serial++
			answer = map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": idToken(i.serial, i.lasts), "refresh_token": fmt.Sprintf("secret-refresh-%d", i.serial)}
		}
	case api.Prefix + api.PathSession:
		answer = api.Session{Person: "ann"}
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer e30.") {
			status, answer = http.StatusUnauthorized, api.Problem{Type: api.ProblemSignIn, Title: "Sign in"}
		}
	default:
		answer = api.RecordJobList{}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that has gone
}

// TestDeviceFlow checks that a login by the device flow waits for the person, is stored, is renewed
// before it expires, and fails with a remedy if the provider refuses. No secret is printed.
func TestDeviceFlow(t *testing.T) {
	dir, i := home(t), newIssuer(t)
	said := ""
	run := func(want int, args ...string) string {
		t.Helper()
		p := start(t, append(args, "--server", i.URL)...)
		if code := p.end(); code != want {
			t.Errorf("%q: exit code %d, want %d: %s", args, code, want, p.err)
		}
		said += p.out.String() + p.err.String()
		return p.err.String()
	}
	i.lasts = 30 * time.Second // ends soon
	text := run(0, "login")
	for _, part := range []string{"https://id.example.com/device", "WDJB-MJHT", "knows you as ann"} {
		if !strings.Contains(text, part) {
			t.Errorf("the login does not say %q: %s", part, text)
		}
	}
	i.mu.Lock()
	i.lasts = time.Hour
	before := i.serial
	i.mu.Unlock()
	run(0, "jobs", "-A")
	run(0, "jobs", "-A")
	i.mu.Lock()
	if i.serial != before+1 {
		t.Errorf("%d tokens after a renewal; before it %d", i.serial, before)
	}
	i.mu.Unlock()
	path := filepath.Join(dir, "vedette", "logins.json")
	stored, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(stored), fmt.Sprintf("secret-refresh-%d", before+1)) {
		t.Errorf("the renewed token is not stored: %v", err)
	}
	var all map[string]tokenstore.Credential
	if err := json.Unmarshal(stored, &all); err != nil {
		t.Fatal(err)
	}
	for server, k := range all {
		k.Expires = time.Now().Add(tokenstore.Early / 2)
		all[server] = k
	}
	store := func() {
		t.Helper()
		text, err := json.Marshal(all)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	store()
	i.mu.Lock()
	i.refuse = true
	i.mu.Unlock()
	run(0, "jobs", "-A") // the token has not ended
	for server, k := range all {
		k.Expires = time.Now().Add(-time.Minute)
		all[server] = k
	}
	store()
	if text := run(1, "jobs", "-A"); !strings.Contains(text, "invalid_grant") || !strings.Contains(text, "vedette login") {
		t.Errorf("a refused renewal: said %s, want invalid_grant and vedette login", text)
	}
	for _, secret := range []string{"secret-", "e30.", "access"} {
		if strings.Contains(said, secret) {
			t.Errorf("%q is printed, want it hidden: %s", secret, said)
		}
	}
}

// TestLoginIssuer: the command shows the identity provider that a portal names. A portal that names
// another one than at the login before leads nobody there, unless --issuer names it, too.
func TestLoginIssuer(t *testing.T) {
	home(t)
	portal, other := newIssuer(t), newIssuer(t)
	run := func(want int, args ...string) string {
		t.Helper()
		p := start(t, append([]string{"login", "--server", portal.URL}, args...)...)
		if code := p.end(); code != want {
			t.Errorf("%q: exit code %d, want %d: %s", args, code, want, p.err)
		}
		return p.err.String()
	}
	refused := func(want string, args ...string) {
		t.Helper()
		if text := run(1, args...); !strings.Contains(text, want) || strings.Contains(text, "WDJB-MJHT") {
			t.Errorf("%q: said %s, want %q and no code", args, text, want)
		}
	}
	refused("names the identity provider "+portal.URL+", not that of --issuer", "--issuer", other.URL)
	if text := run(0); !strings.Contains(text, "signs you in with the identity provider "+portal.URL) {
		t.Errorf("the first login does not show the provider: %s", text)
	}
	portal.mu.Lock()
	portal.names = other.URL
	portal.mu.Unlock()
	refused("names the identity provider " + other.URL + ", and before it named " + portal.URL)
	refused("not that of --issuer", "--issuer", portal.URL)
	refused("use it without --with", "--issuer", portal.URL, "--with", "token")
	if other.mu.Lock(); other.asked != 0 {
		t.Errorf("the other provider was asked for %d tokens", other.asked)
	}
	other.mu.Unlock()
	run(0, "--issuer", other.URL)
	run(0) // it is the provider of the login before
}
