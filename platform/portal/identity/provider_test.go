package identity

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// idp is an identity provider with one person.
type idp struct {
	*httptest.Server
	t      *testing.T
	key    *rsa.PrivateKey
	claims map[string]any
	asked  url.Values // of the last sign-in
	sent   url.Values // of the last code
	down   bool
	flood  string // path that answers with gigabytes of spaces, in megabytes of gzip

	fetched atomic.Int32 // how often the keys were fetched
	spaces  atomic.Int64 // bytes of a flood before compression
}

func newIDP(t *testing.T) *idp {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &idp{t: t, key: key, claims: map[string]any{}}
	mux := http.NewServeMux()
	answer := func(path string, of func(r *http.Request) any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if p.down {
				http.Error(w, "down", http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			if p.flood == path {
				p.sendSpaces(w)
				return
			}
			_ = json.NewEncoder(w).Encode(of(r))
		})
	}
	answer("/.well-known/openid-configuration", func(*http.Request) any {
		return map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		}
	})
	answer("/keys", func(*http.Request) any {
		p.fetched.Add(1)
		n := base64.RawURLEncoding.EncodeToString(key.N.Bytes())
		return map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": n, "e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes())}}}
	})
	answer("/token", func(r *http.Request) any {
		_ = r.ParseForm()
		p.sent = r.PostForm
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if r.PostForm.Get("code") != "the-code" || base64.RawURLEncoding.EncodeToString(sum[:]) != p.asked.Get("code_challenge") {
			return map[string]any{"error": "invalid_grant"}
		}
		return map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.token(map[string]any{"nonce": p.asked.Get("nonce")})}
	})
	p.Server = httptest.NewTLSServer(mux)
	t.Cleanup(p.Close)
	return p
}

// sendSpaces sends spaces, which JSON ignores, until the reader hangs up.
func (p *idp) sendSpaces(w http.ResponseWriter) {
	w.Header().Set("Content-Encoding", "gzip")
	zip := gzip.NewWriter(w)
	text := bytes.Repeat([]byte(" "), 1<<20)
	for range 1024 {
		n, err := zip.Write(text)
		if p.spaces.Add(int64(n)); err != nil {
			return
		}
	}
}

// token returns an ID token of the person, with further claims.
func (p *idp) token(more map[string]any) string {
	claims := map[string]any{
		"iss": p.URL, "aud": "vedette", "sub": "1", "exp": time.Now().Add(5 * time.Minute).Unix(), "iat": time.Now().Unix(), // an input: the validity of a token
		"preferred_username": "anna", "email": "anna@example.com", "email_verified": true, "groups": []string{"team-llm", "system:masters"},
	}
	maps.Copy(claims, p.claims)
	maps.Copy(claims, more)
	return p.sign(`{"alg":"RS256","kid":"1"}`, claims)
}

func (p *idp) sign(header string, claims map[string]any) string {
	text, _ := json.Marshal(claims)
	signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString(text)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// portal returns a portal that signs in with the provider.
func (p *idp) portal(change func(*OIDC)) *fixture {
	ca := filepath.Join(p.t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw}), 0o600); err != nil {
		p.t.Fatal(err)
	}
	cfg := &OIDC{Issuer: p.URL, ClientID: "vedette", CAFile: ca, NamePrefix: "oidc:", GroupsPrefix: "oidc:", Audiences: []string{"cli"}}
	if change != nil {
		change(cfg)
	}
	f := newFixture(p.t, Config{Listen: ":8790", URL: "https://v.example.com", OIDC: cfg})
	p.t.Cleanup(f.auth.provider.client.CloseIdleConnections)
	return f
}

// begin begins a sign-in, and returns the cookie of the attempt.
func (p *idp) begin(f *fixture) string {
	p.t.Helper()
	w := f.send(request("GET", "/auth/oidc?to=/jobs%3Fmine=true"))
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil || w.Code != 303 || to.Path != "/auth" {
		p.t.Fatalf("got status %d and headers %s, want 303 to the provider", w.Code, w.Header())
	}
	p.asked = to.Query()
	return cookies(w)
}

// TestOIDC: the code flow signs in with PKCE, state and nonce.
func TestOIDC(t *testing.T) {
	p := newIDP(t)
	f := p.portal(nil)
	attempt := p.begin(f)
	if p.asked.Get("code_challenge_method") != "S256" || p.asked.Get("redirect_uri") != "https://v.example.com/auth/callback" || p.asked.Get("scope") != "openid profile email" {
		t.Errorf("asked for %v, want S256, the callback and the scopes", p.asked)
	}
	back := "/auth/callback?code=the-code&state=" + p.asked.Get("state")
	other := p.begin(f) // of another browser
	for name, c := range map[string][2]string{
		"another browser":  {back, other},
		"no cookie":        {back, ""},
		"a forged cookie":  {back, "__Host-vedette-attempt=AAAA"},
		"a wrong state":    {"/auth/callback?code=the-code&state=x", attempt},
		"no state":         {"/auth/callback?code=the-code", attempt},
		"a session's seal": {back, strings.Replace(attempt, "attempt", "session", 1)},
		"the nonce of another attempt, and its challenge": {back, attempt},
	} {
		if w := f.send(request("GET", c[0], "Cookie", c[1])); w.Code == 303 || strings.Contains(w.Header().Get("Set-Cookie"), "session=1") {
			t.Errorf("%s: got status %d and headers %v, want no session", name, w.Code, w.Header())
		}
	}
	attempt = p.begin(f)
	w := f.send(request("GET", "/auth/callback?code=the-code&state="+p.asked.Get("state"), "Cookie", attempt))
	if w.Code != 303 || w.Header().Get("Location") != "/jobs?mine=true" {
		t.Fatalf("got status %d, headers %s, log %s; want 303 to the page", w.Code, w.Header(), f.logged)
	}
	s := f.want(request("GET", "/", "Cookie", cookies(w)))
	if s.Name != "oidc:anna" || !slices.Equal(s.Groups, []string{"oidc:team-llm", "oidc:system:masters"}) || !slices.Equal(s.Names, []string{"oidc:anna", "anna", "anna@example.com"}) || s.SignIn != api.SignInOIDC {
		t.Errorf("got %+v, want oidc:anna with her groups and names", s)
	}
	attempt = p.begin(f)
	state := p.asked.Get("state")
	p.asked.Set("nonce", "of another sign-in")
	if w := f.send(request("GET", "/auth/callback?code=the-code&state="+state, "Cookie", attempt)); w.Code != 401 {
		t.Errorf("an ID token of another sign-in: %d", w.Code)
	}
	attempt = p.begin(f)
	if w := f.send(request("GET", "/auth/callback?error=access_denied&error_description=%3Cscript%3E&state="+p.asked.Get("state"), "Cookie", attempt)); w.Code != 401 || strings.Contains(w.Body.String(), "script") {
		t.Errorf("a refusal: got status %d and %s, want 401 and no script", w.Code, w.Body)
	}
	if strings.Contains(f.logged.String(), "the-code") || strings.Contains(f.logged.String(), "eyJ") {
		t.Errorf("the log has a secret: %s", f.logged)
	}
}

// TestIDTokens: ID tokens of programs are verified, and claims become names as configured.
func TestIDTokens(t *testing.T) {
	p := newIDP(t)
	other := newIDP(t)
	f := p.portal(nil)
	none := p.sign(`{"alg":"none"}`, map[string]any{"iss": p.URL, "aud": "vedette", "preferred_username": "anna", "exp": time.Now().Add(time.Hour).Unix()}) // an input: the validity of a token
	for _, c := range []struct {
		name, token, want string
	}{
		{"good", p.token(nil), "oidc:anna"},
		{"for the command line", p.token(map[string]any{"aud": "cli"}), "oidc:anna"},
		{"for several programs, issued to the command line", p.token(map[string]any{"aud": []string{"x", "cli"}, "azp": "cli"}), "oidc:anna"},
		{"for several programs, issued to another one", p.token(map[string]any{"aud": []string{"x", "cli"}, "azp": "x"}), ""},
		{"for several programs, issued to nobody", p.token(map[string]any{"aud": []string{"x", "cli"}}), ""},
		{"for the portal, issued to another program", p.token(map[string]any{"azp": "other"}), ""},
		{"issued to something that is no text", p.token(map[string]any{"azp": 7}), ""},
		{"for another program", p.token(map[string]any{"aud": "other"}), ""},
		{"expired", p.token(map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}), ""}, // an input: the validity of a token
		{"of another issuer", p.token(map[string]any{"iss": "https://idp.example.com"}), ""},
		{"of another key", other.token(map[string]any{"iss": p.URL}), ""},
		{"without a signature", none[:strings.LastIndex(none, ".")+1], ""},
		{"of an unsafe algorithm", none, ""},
		{"by email", p.token(map[string]any{"preferred_username": ""}), "oidc:anna@example.com"},
		{"by an email that is not verified", p.token(map[string]any{"preferred_username": "", "email_verified": false}), ""},
		{"with a control character", p.token(map[string]any{"preferred_username": "an\nna"}), ""},
		{"with a name that is not a string", p.token(map[string]any{"preferred_username": 7, "email": 8}), ""},
		{"with too many groups", p.token(map[string]any{"groups": slices.Repeat([]string{"g"}, maxGroups+1)}), ""},
	} {
		w := f.send(request("GET", "/", "Authorization", "Bearer "+c.token))
		var s shown
		_ = json.Unmarshal(w.Body.Bytes(), &s)
		if c.want == "" && w.Code != 401 || c.want != "" && s.Name != c.want {
			t.Errorf("%s: got status %d and %s, want name %q", c.name, w.Code, w.Body, c.want)
		}
	}
	bare := p.portal(func(o *OIDC) { o.NamePrefix, o.GroupsPrefix, o.NameClaim, o.GroupsClaim = "-", "", "sub", "roles" })
	for name, want := range map[string]int{"system:admin": 401, "7": 200} {
		token := p.token(map[string]any{"sub": name, "roles": "system:masters"})
		w := bare.send(request("GET", "/", "Authorization", "Bearer "+token))
		if w.Code != want || strings.Contains(w.Body.String(), "masters") {
			t.Errorf("%s without a prefix: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestKeysAreKept: the keys of the provider are fetched once, and again only for an unknown key.
func TestKeysAreKept(t *testing.T) {
	p := newIDP(t)
	f := p.portal(nil)
	for range 5 {
		if w := f.send(request("GET", "/", "Authorization", "Bearer "+p.token(nil))); w.Code != 200 {
			t.Fatalf("got status %d and %s, want 200", w.Code, w.Body)
		}
	}
	if n := p.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times for 5 requests", n)
	}
	claims := map[string]any{"iss": p.URL, "aud": "vedette", "preferred_username": "anna", "exp": time.Now().Add(time.Hour).Unix()} // an input: the validity of a token
	if w := f.send(request("GET", "/", "Authorization", "Bearer "+p.sign(`{"alg":"RS256","kid":"2"}`, claims))); w.Code != 401 || p.fetched.Load() != 2 {
		t.Errorf("an unknown key: %d, fetched %d times", w.Code, p.fetched.Load())
	}
}

// TestProviderAway: the portal starts while its provider is unavailable, reports this, and
// recovers.
func TestProviderAway(t *testing.T) {
	p := newIDP(t)
	p.down = true
	f := p.portal(nil)
	if w := f.send(request("GET", "/auth/oidc")); w.Code != 503 || !strings.Contains(w.Body.String(), "does not answer") {
		t.Errorf("got status %d and %s, want 503: the provider does not answer", w.Code, w.Body)
	}
	if got := f.problem(request("GET", "/api/v1/jobs", "Authorization", "Bearer "+p.token(nil))); got.Type != api.ProblemUnavailable {
		t.Errorf("got %+v, want that the provider is unavailable", got)
	}
	p.down = false
	f.auth.provider.tried = time.Time{}
	p.begin(f)
}

// TestProviderFloods: answers of a provider are read up to a limit, counted after decompression.
func TestProviderFloods(t *testing.T) {
	for _, path := range []string{"/.well-known/openid-configuration", "/keys"} {
		p := newIDP(t)
		p.flood = path
		f := p.portal(nil)
		w := f.send(request("GET", "/", "Authorization", "Bearer "+p.token(nil)))
		if w.Code < 400 {
			t.Errorf("%s: got status %d", path, w.Code)
		}
		p.Close() // waits for the answer
		if n := p.spaces.Load(); n == 0 || n > 512<<20 {
			t.Errorf("%s: the provider sent %d bytes", path, n)
		}
	}
}
