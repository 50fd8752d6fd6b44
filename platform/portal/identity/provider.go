package identity

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/vedette-io/vedette/internal/readlimit"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Time limits of requests to an identity provider.
const (
	providerTimeout = 10 * time.Second
	providerPause   = 5 * time.Second // between attempts to connect
)

// provider is an identity provider. Its endpoints and keys are fetched at the first sign-in, so the
// portal starts even if the provider is unavailable.
type provider struct {
	cfg      OIDC
	callback string
	secret   string
	client   *http.Client

	turn  chan struct{} // held by the goroutine that fetches
	mu    sync.Mutex
	found *oidc.Provider
	tried time.Time
}

// newProvider reads the files of the configuration. public is the address of the portal.
func newProvider(cfg OIDC, public *url.URL) (*provider, error) {
	issuer, err := url.Parse(cfg.Issuer)
	switch {
	case err != nil || issuer.Host == "" || issuer.Scheme != "https" && !loopback(issuer.Hostname()):
		return nil, fmt.Errorf("the OIDC issuer %q is not an https:// URL", cfg.Issuer)
	case cfg.ClientID == "":
		return nil, errors.New("OIDC needs the client ID of the portal at the provider")
	case public == nil:
		return nil, errors.New("OIDC needs the address by which browsers reach the portal, such as https://vedette.example.com, because the provider redirects browsers to it")
	}
	p := &provider{cfg: cfg, callback: public.JoinPath(pathCallback).String(), turn: make(chan struct{}, 1)}
	if cfg.SecretFile != "" {
		text, err := os.ReadFile(cfg.SecretFile)
		if err != nil {
			return nil, fmt.Errorf("the OIDC client secret: %w", err)
		}
		p.secret = strings.TrimSpace(string(text))
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true}
	if cfg.CAFile != "" {
		text, err := os.ReadFile(cfg.CAFile)
		if err != nil {
			return nil, fmt.Errorf("the certificates of the OIDC provider: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("the certificates of the OIDC provider: %s has none", cfg.CAFile)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	p.client = &http.Client{Timeout: providerTimeout, Transport: &readlimit.Transport{RoundTripper: transport, Limit: maxProviderAnswer}}
	return p, nil
}

// maxProviderAnswer bounds an answer of the provider, such as its keys, in bytes.
const maxProviderAnswer = 1 << 20

// pathCallback is the path to which the provider redirects browsers.
const pathCallback = "/auth/callback"

// ready returns the provider. It fetches the endpoints if that has not succeeded yet.
//
// Errors: errProvider.
func (p *provider) ready(ctx context.Context) (*oidc.Provider, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	found, tried := p.found, p.tried
	p.mu.Unlock()
	if found != nil {
		return found, nil
	}
	if time.Since(tried) < providerPause {
		return nil, errProvider
	}
	// The keys are fetched again later, so the context of one request must not end that.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.cfg.Issuer)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried = time.Now()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errProvider, err)
	}
	p.found = found
	return found, nil
}

// scopes returns the scopes to request from the provider.
func (p *provider) scopes() []string {
	scopes := p.cfg.Scopes
	if len(scopes) == 0 {
		scopes = []string{"profile", "email"}
	}
	return distinct(append([]string{oidc.ScopeOpenID}, scopes...)...)
}

func (p *provider) oauth(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.cfg.ClientID, ClientSecret: p.secret, Endpoint: found.Endpoint(), RedirectURL: p.callback,
		Scopes: p.scopes(),
	}
}

// attempt is a sign-in in progress. The browser keeps it in an encrypted cookie.
type attempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	To       string `json:"t"`
	Until    int64  `json:"u"`
}

// address returns the URL at which the browser signs in.
func (p *provider) address(ctx context.Context, a attempt) (string, error) {
	found, err := p.ready(ctx)
	if err != nil {
		return "", err
	}
	return p.oauth(found).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), nil
}

// redeem exchanges a code for the person who signed in.
//
// Errors: errToken; errProvider.
func (p *provider) redeem(ctx context.Context, a attempt, code string) (Person, error) {
	found, err := p.ready(ctx)
	if err != nil {
		return Person{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), providerTimeout)
	defer cancel()
	answer, err := p.oauth(found).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) {
			return Person{}, fmt.Errorf("%w: the provider answered %d to the code", errToken, refused.Response.StatusCode) // its body may be anything
		}
		return Person{}, errProvider
	}
	raw, ok := answer.Extra("id_token").(string)
	if !ok {
		return Person{}, fmt.Errorf("%w: the provider sent no ID token", errToken)
	}
	return p.verify(ctx, found, raw, a.Nonce)
}

// bearer returns the person of an ID token that a program sent.
//
// Errors: errToken; errProvider.
func (p *provider) bearer(ctx context.Context, raw string) (Person, error) {
	found, err := p.ready(ctx)
	if err != nil {
		return Person{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), providerTimeout)
	defer cancel()
	return p.verify(ctx, found, raw, "")
}

// issued reports whether a token claims to be of the provider.
func (p *provider) issued(raw string) bool {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return false
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Issuer string `json:"iss"`
	}
	return err == nil && json.Unmarshal(text, &claims) == nil && claims.Issuer == p.cfg.Issuer
}

// verify checks an ID token: signature, issuer, time, audience and nonce.
func (p *provider) verify(ctx context.Context, found *oidc.Provider, raw, nonce string) (Person, error) {
	// The verifier caches the keys of the provider, and fetches them again for an unknown key.
	token, err := found.Verifier(&oidc.Config{SkipClientIDCheck: true}).Verify(ctx, raw)
	if err != nil {
		return Person{}, fmt.Errorf("%w: the ID token does not verify", errToken)
	}
	ours := func(audience string) bool {
		return audience == p.cfg.ClientID || nonce == "" && slices.Contains(p.cfg.Audiences, audience)
	}
	if !slices.ContainsFunc(token.Audience, ours) {
		return Person{}, fmt.Errorf("%w: the ID token is for another program", errToken)
	}
	// OpenID Connect Core 1.0, section 3.1.3.7, rules 4 and 5.
	var party struct {
		Authorized *string `json:"azp"`
	}
	if err := token.Claims(&party); err != nil {
		return Person{}, fmt.Errorf("%w: the claim azp cannot be read", errToken)
	}
	if party.Authorized == nil && len(token.Audience) > 1 || party.Authorized != nil && !ours(*party.Authorized) {
		return Person{}, fmt.Errorf("%w: the ID token was issued to another program", errToken)
	}
	if nonce != "" && token.Nonce != nonce {
		return Person{}, fmt.Errorf("%w: the ID token is for another sign-in", errToken)
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return Person{}, fmt.Errorf("%w: the claims cannot be read", errToken)
	}
	person, err := p.person(claims)
	person.Expires = token.Expiry
	return person, err
}

// prefixed puts a prefix before a name. As for kube-apiserver, "-" means no prefix.
func prefixed(prefix, name string) string {
	if prefix == "-" {
		return name
	}
	return prefix + name
}

// person reads names and groups from claims.
func (p *provider) person(claims map[string]any) (Person, error) {
	text := func(claim string) string { s, _ := claims[claim].(string); return s }
	email := text("email")
	if verified, there := claims["email_verified"]; there && verified != true && verified != "true" {
		email = ""
	}
	name := text(p.cfg.NameClaim)
	switch p.cfg.NameClaim {
	case "":
		name = cmp.Or(text("preferred_username"), email)
	case "email":
		name = email
	}
	full := prefixed(p.cfg.NamePrefix, name)
	if !usable(name) || reserved(full) {
		return Person{}, fmt.Errorf("%w: the ID token has no usable name", errToken)
	}
	person := Person{Name: full, Names: distinct(full, name, email), SignIn: api.SignInOIDC}
	var groups []any
	switch found := claims[cmp.Or(p.cfg.GroupsClaim, "groups")].(type) {
	case []any:
		groups = found
	case string:
		groups = []any{found}
	}
	if len(groups) > maxGroups {
		return Person{}, fmt.Errorf("%w: the ID token has more than %d groups", errToken, maxGroups)
	}
	for _, one := range groups {
		group, _ := one.(string)
		if full := prefixed(p.cfg.GroupsPrefix, group); usable(group) && !reserved(full) {
			person.Groups = append(person.Groups, full)
		}
	}
	return person, nil
}
