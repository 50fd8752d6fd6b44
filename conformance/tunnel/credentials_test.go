package tunnel_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// way is one way to connect to the API server.
type way struct {
	name   string
	config *rest.Config
	seen   *seen
	// refused: the server refuses the first credentials.
	refused bool
}

// seen counts requests and answers below the tunnel.
type seen struct{ refused, http1, http2, unzipped, lists atomic.Int64 }

// transport counts requests and answers. It refuses streaming lists, so that informers
// list.
type transport struct {
	below  http.RoundTripper
	seen   *seen
	stream bool
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.stream && req.URL.Query().Has("sendInitialEvents") {
		status := apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("ListOptions").GroupKind(), "", nil).Status()
		return statusAnswer(req, &status), nil
	}
	resp, err := t.below.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	count := func(n *atomic.Int64, when bool) {
		if when {
			n.Add(1)
		}
	}
	ok := resp.StatusCode == http.StatusOK
	count(&t.seen.refused, resp.StatusCode == http.StatusUnauthorized)
	count(&t.seen.http1, ok && resp.ProtoMajor == 1)
	count(&t.seen.http2, ok && resp.ProtoMajor == 2)
	count(&t.seen.unzipped, ok && resp.Uncompressed)
	count(&t.seen.lists, ok && !req.URL.Query().Has("watch"))
	return resp, nil
}

// credentials are the credentials of all ways. They can be rotated.
type credentials struct {
	t     *testing.T
	admin kubernetes.Interface
	dir   string
	bound string // the secret that the plugin's token is bound to
}

// newCredentials creates a service account with all rights, and writes its tokens.
func newCredentials(t *testing.T, admin kubernetes.Interface) *credentials {
	t.Helper()
	c := &credentials{t: t, admin: admin, dir: t.TempDir()}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := admin.CoreV1().ServiceAccounts("default").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
	must(err)
	_, err = admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "robot"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "robot"}},
	}, metav1.CreateOptions{})
	must(err)
	// The plugin first returns an invalid token, and then the one in its file.
	script := "#!/bin/sh\necho x >>'" + c.calls() + "'\ntoken=$(cat '" + c.token() + "')\n[ \"$(wc -l <'" + c.calls() + "')\" -gt 1 ] || token=refused\n" +
		`printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$token"` + "\n"
	must(os.WriteFile(c.plugin(), []byte(script), 0o700))
	c.rotate()
	return c
}

func (c *credentials) file() string   { return filepath.Join(c.dir, "file") }
func (c *credentials) token() string  { return filepath.Join(c.dir, "token") }
func (c *credentials) plugin() string { return filepath.Join(c.dir, "plugin") }
func (c *credentials) calls() string  { return filepath.Join(c.dir, "calls") }

// rotate writes new tokens. The old token of the file stays valid, because client-go
// reads the file once a minute. The old token of the plugin becomes invalid when the
// server restarts, because its bound secret is deleted.
func (c *credentials) rotate() {
	c.t.Helper()
	c.write(c.file(), nil)
	secret, err := c.admin.CoreV1().Secrets("default").Create(c.t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "bound-"}}, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(c.token(), &authenticationv1.BoundObjectReference{Kind: "Secret", APIVersion: "v1", Name: secret.Name, UID: secret.UID})
	if c.bound != "" {
		if err := c.admin.CoreV1().Secrets("default").Delete(c.t.Context(), c.bound, metav1.DeleteOptions{}); err != nil {
			c.t.Fatal(err)
		}
	}
	c.bound = secret.Name
}

// write writes a new token of the service account to a file. It is valid as long as its
// bound object exists.
func (c *credentials) write(path string, to *authenticationv1.BoundObjectReference) {
	c.t.Helper()
	answer, err := c.admin.CoreV1().ServiceAccounts("default").CreateToken(c.t.Context(), "robot", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: to},
	}, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(answer.Status.Token), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// ways returns all ways to connect to the server of base.
func (c *credentials) ways(base *rest.Config, authority *authority) []way {
	anonymous := rest.CopyConfig(base)
	anonymous.BearerToken = ""
	var all []way
	add := func(name string, from *rest.Config, stream bool, change func(*rest.Config)) *way {
		w := way{name: name, config: rest.CopyConfig(from), seen: &seen{}}
		change(w.config)
		w.config.Wrap(func(below http.RoundTripper) http.RoundTripper { return transport{below, w.seen, stream} })
		all = append(all, w)
		return &all[len(all)-1]
	}
	add("token", base, true, func(*rest.Config) {})
	add("token file", anonymous, true, func(cfg *rest.Config) { cfg.BearerTokenFile = c.file() })
	add("client certificate", anonymous, true, func(cfg *rest.Config) {
		cfg.CertData, cfg.KeyData = authority.client(c.t, "jane", "system:masters")
	})
	add("exec plugin", anonymous, true, func(cfg *rest.Config) {
		cfg.ExecProvider = &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: c.plugin(), InteractiveMode: clientcmdapi.NeverExecInteractiveMode}
	}).refused = true
	add("impersonation", base, true, func(cfg *rest.Config) {
		cfg.Impersonate = rest.ImpersonationConfig{UserName: "jane", Groups: []string{"system:masters"}}
	})
	add("HTTP/1.1", base, true, func(cfg *rest.Config) { cfg.NextProtos = []string{"http/1.1"} })
	add("lists in gzip", base, false, func(*rest.Config) {})
	add("lists without compression", base, false, func(cfg *rest.Config) { cfg.DisableCompression = true })
	return all
}

// authority signs the certificates of clients.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "clients"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &authority{cert: cert, key: key, file: filepath.Join(t.TempDir(), "clients.crt")}
	if err := os.WriteFile(a.file, a.sign(t, cert, key), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// sign returns a certificate in PEM.
func (a *authority) sign(t *testing.T, cert *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// client returns the certificate and the key of a user.
func (a *authority) client(t *testing.T, user, group string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: user, Organization: []string{group}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, private), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
}
