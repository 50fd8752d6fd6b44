package access

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// defaultIssuer is the issuer of clusters that configure none, so several clusters have it.
const defaultIssuer = "https://kubernetes.default.svc.cluster.local"

// signer is the private key with which a cluster signs tokens.
type signer struct {
	t   *testing.T
	id  string
	key *ecdsa.PrivateKey
}

func newSigner(t *testing.T, id string) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{t: t, id: id, key: key}
}

// public returns the key that the cluster publishes.
func (s *signer) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: &s.key.PublicKey, KeyID: s.id, Algorithm: "ES256", Use: "sig"}
}

// token returns a token. Without audiences it is for API servers.
func (s *signer) token(issuer, subject string, audiences ...string) string {
	s.t.Helper()
	with, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: s.key, KeyID: s.id}}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	claims, err := json.Marshal(map[string]any{"iss": issuer, "sub": subject, "aud": audiences})
	if err != nil {
		s.t.Fatal(err)
	}
	signed, err := with.Sign(claims)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// issuingCluster is a cluster that publishes keys, and keeps every token that it is asked about. It
// knows all tokens, for the audiences in them.
type issuingCluster struct {
	kube *kube.Cluster

	mu     sync.Mutex
	issuer string
	keys   func() []jose.JSONWebKey
	secret bool // the keys are not published
	naive  bool // audiences are not checked
	got    []string
}

func newIssuingCluster(t *testing.T, issuer string, keys ...jose.JSONWebKey) *issuingCluster {
	t.Helper()
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := &issuingCluster{issuer: issuer, keys: func() []jose.JSONWebKey { return keys }}
	rc := srv.RESTConfig()
	rc.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &roundTripper{c, next}
	})
	if c.kube, err = kube.Connect(kube.Config{REST: rest.CopyConfig(rc)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.kube.Close()
		srv.Close()
	})
	return c
}

// roundTripper answers some requests itself.
type roundTripper struct {
	cluster *issuingCluster
	next    http.RoundTripper
}

func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.cluster.answer(r, t.next)
}

// WrappedRoundTripper implements net.RoundTripperWrapper of apimachinery.
func (t *roundTripper) WrappedRoundTripper() http.RoundTripper { return t.next }

// answer answers as an API server with the settings of the test.
func (c *issuingCluster) answer(r *http.Request, next http.RoundTripper) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	status, document := http.StatusOK, any(nil)
	switch {
	case r.URL.Path == pathDiscovery || r.URL.Path == pathKeys:
		if document = map[string]any{"issuer": c.issuer}; r.URL.Path == pathKeys {
			document = jose.JSONWebKeySet{Keys: c.keys()}
		}
		if c.secret {
			status = http.StatusForbidden
		}
	case strings.HasSuffix(r.URL.Path, "/tokenreviews"):
		var review authenticationv1.TokenReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			return nil, err
		}
		c.got = append(c.got, review.Spec.Token)
		token, _ := parseToken(review.Spec.Token)
		common := slices.DeleteFunc(slices.Clone(review.Spec.Audiences), func(a string) bool { return !slices.Contains(token.audience, a) })
		known := c.naive || len(common) > 0 || len(review.Spec.Audiences)+len(token.audience) == 0
		if c.naive {
			common = nil
		}
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: known, Audiences: common, User: authenticationv1.UserInfo{Username: "anna", Groups: []string{"ops"}}}
		document = review
	default:
		return next.RoundTrip(r)
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)), Request: r}, nil
}

// publish changes the keys.
func (c *issuingCluster) publish(issuer string, keys ...jose.JSONWebKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.issuer, c.keys = issuer, func() []jose.JSONWebKey { return keys }
}

// asked returns the tokens that the cluster has got since the last call.
func (c *issuingCluster) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	got := c.got
	c.got = nil
	return got
}

// pair are a good cluster and a hostile one in one portal.
type pair struct {
	*testing.T
	good, bad *issuingCluster
	own       *signer // of the good cluster
	reviewer  *TokenReviewer
}

func newPair(t *testing.T) *pair {
	p := &pair{T: t, own: newSigner(t, "good")}
	p.good = newIssuingCluster(t, defaultIssuer, p.own.public())
	p.bad = newIssuingCluster(t, defaultIssuer, newSigner(t, "bad").public())
	p.reviewer = NewTokenReviewer([]Cluster{{"good", p.good.kube}, {"bad", p.bad.kube}}, "portal", nil)
	return p
}

// want reviews a token. cluster is the cluster that must identify the person, or empty if the token
// must be refused. The hostile cluster must not see a token, unless it is the one.
func (p *pair) want(what, token, named, cluster string) error {
	p.Helper()
	person, ok, err := p.reviewer.Review(context.WithoutCancel(p.Context()), token, named)
	good, bad := p.good.asked(), p.bad.asked()
	if ok != (cluster != "") || person.Cluster != cluster {
		p.Errorf("%s: got %+v, %v and error %v, want the cluster %q", what, person, ok, err, cluster)
	}
	if (cluster == "good") != slices.Equal(good, []string{token}) || cluster != "good" && len(good) > 0 {
		p.Errorf("%s: the good cluster was asked %d times, want it only for its own token", what, len(good))
	}
	if (cluster == "bad") != slices.Equal(bad, []string{token}) || cluster != "bad" && len(bad) > 0 {
		p.Errorf("%s: the hostile cluster got %d tokens, want its own only", what, len(bad))
	}
	return err
}

// TestTokenGoesToItsCluster: a cluster never sees the token of another one, whatever it publishes.
func TestTokenGoesToItsCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		token := p.own.token(defaultIssuer, "anna")
		if err := p.want("a token of the good cluster", token, "", "good"); err != nil {
			t.Error(err)
		}
		evil := newSigner(t, "bad")
		p.bad.publish("https://bad.example.com", evil.public())
		<-time.After(keysPause)
		_ = p.want("a token of the hostile cluster", evil.token("https://bad.example.com", "x"), "", "bad")
		if err := p.want("a forged token of the good cluster", newSigner(t, "good").token(defaultIssuer, "anna"), "", ""); err != nil {
			t.Errorf("a forged token: got error %v, want a plain refusal", err)
		}
		for what, text := range map[string]string{
			"an opaque token": "0123456789abcdef", "a token of nobody": evil.token("https://accounts.example.com", "anna"),
			"a token without a signature": "eyJhbGciOiJub25lIn0.e30.", "a broken token": token[:len(token)/2],
		} {
			if err := p.want(what, text, "", ""); !isProblem(err, api.ProblemSignIn) || !strings.Contains(err.Error(), "--cluster") {
				t.Errorf("%s: got error %v, want a problem that says how to name the cluster", what, err)
			}
		}
	})
}

// TestCopiedKeys: a cluster that publishes the keys of another one gets none of its tokens, not even
// for a key that is new.
func TestCopiedKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		p.bad.publish(defaultIssuer, p.own.public())
		token := p.own.token(defaultIssuer, "anna")
		if err := p.want("a token whose key two clusters publish", token, "", ""); !isProblem(err, api.ProblemSignIn) {
			t.Errorf("got error %v, want a problem", err)
		}
		if err := p.want("the same, named", token, "good", "good"); err != nil {
			t.Error(err)
		}

		// The good cluster gets a new key after it was read and before the hostile one answers.
		next := newSigner(t, "next")
		p.bad.mu.Lock()
		p.bad.keys = func() []jose.JSONWebKey {
			<-time.After(time.Second) // the good cluster has answered with its earlier keys
			p.good.publish(defaultIssuer, p.own.public(), next.public())
			return []jose.JSONWebKey{next.public()}
		}
		p.bad.mu.Unlock()
		<-time.After(keysFor)
		_ = p.want("a token of a new key", next.token(defaultIssuer, "anna"), "", "")
	})
}

// TestKeysThatAreUnknown: while the keys of one cluster are not known, only a named cluster is
// asked. A cluster that answered before keeps its tokens during an outage.
func TestKeysThatAreUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		p.good.secret = true
		p.bad.publish(defaultIssuer, p.own.public())
		token := p.own.token(defaultIssuer, "anna")
		if err := p.want("a token of a cluster without published keys", token, "", ""); !isProblem(err, api.ProblemSignIn) {
			t.Errorf("got error %v, want a problem", err)
		}
		_ = p.want("the same, named", "opaque", "good", "good")
		p.good.secret = false
		p.bad.publish(defaultIssuer)
		<-time.After(keysPause)
		_ = p.want("with published keys", token, "", "good")
		p.bad.secret = true
		<-time.After(keysFor)
		_ = p.want("while the other cluster does not answer", token, "", "good")
	})
}

// TestNamedCluster: a client may name the cluster. A wrong name does not lead a token astray.
func TestNamedCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		token := p.own.token(defaultIssuer, "anna")
		_ = p.want("an opaque token", "0123456789abcdef", "good", "good")
		for _, named := range []string{"bad", "nowhere", "good "} {
			if err := p.want("a token of good for "+named, token, named, ""); !isProblem(err, api.ProblemSignIn) || strings.Contains(err.Error(), "good") {
				t.Errorf("%q: got error %v, want a problem without other names", named, err)
			}
		}
		alone := NewTokenReviewer([]Cluster{{"good", p.good.kube}}, "portal", nil)
		for named, want := range map[string]bool{"": true, "good": true, "bad": false} {
			if person, ok, _ := alone.Review(t.Context(), "opaque", named); ok != want || ok && person.Cluster != "good" {
				t.Errorf("of one cluster, %q named: got %+v and %v, want %v", named, person, ok, want)
			}
		}
	})
}

// TestAudience: a token for the portal alone is accepted if the cluster has checked that it is for
// the portal. A token for another program is not.
func TestAudience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		accepts := func(what string, want bool, audiences ...string) {
			t.Helper()
			person, ok, err := p.reviewer.Review(t.Context(), p.own.token(defaultIssuer, "anna", audiences...), "")
			if err != nil || ok != want {
				t.Errorf("%s: got %+v, %v and error %v, want %v", what, person, ok, err, want)
			}
		}
		accepts("a token for the API server", true)
		accepts("a token for the portal", true, "portal")
		accepts("a token for the portal and another program", true, "vault", "portal")
		accepts("a token for another program", false, "vault")
		p.good.naive = true
		accepts("a cluster that checks no audiences", false, "portal")
		if asked := p.bad.asked(); len(asked) > 0 {
			t.Errorf("the hostile cluster got %d tokens, want none", len(asked))
		}
	})
}
