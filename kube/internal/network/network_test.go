package network_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// TestMain checks for leaks. Before 0.36, client-go never ends the goroutines that read certificate files again, with the
// queue and the timers that they use.
func TestMain(m *testing.M) {
	const wait, queue = "k8s.io/apimachinery/pkg/util/wait.", "k8s.io/client-go/util/workqueue."
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("k8s.io/client-go/transport.(*dynamicClientCert).run"),
		goleak.IgnoreAnyFunction("k8s.io/client-go/transport.(*dynamicClientCert).processNextWorkItem"),
		goleak.IgnoreAnyFunction(wait+"PollImmediateUntil"),
		goleak.IgnoreAnyFunction(wait+"PollImmediateUntilWithContext.poller.func1.1"),
		goleak.IgnoreAnyFunction(queue+"(*delayingType[...]).waitingLoop"))
}

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

// sign returns a certificate for a name and its key, in PEM. It is valid for servers at
// loopback addresses and at cluster.test, and for clients.
func (a *authority) sign(name string) (cert, key []byte) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, DNSNames: []string{"cluster.test"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, private.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})
}

// front serves the API of an apitest.Server over HTTPS, with access control of its own.
type front struct {
	*httptest.Server
	t         *testing.T
	api       *apitest.Server
	authority *authority
	serving   atomic.Pointer[tls.Certificate]
	allow     atomic.Pointer[func(*http.Request) bool]
	refused   atomic.Int64
}

// newFront serves at a loopback address.
func newFront(t *testing.T, address string) *front {
	t.Helper()
	api, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	f := &front{t: t, api: api, authority: newAuthority(t)}
	f.renew()
	f.permit(func(*http.Request) bool { return true })
	below, err := rest.TransportFor(api.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", "apitest", "apitest"
		},
		Transport:     below,
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if allow := *f.allow.Load(); !allow(r) {
			f.refused.Add(1)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	f.Server.Listener.Close()
	f.Server.Listener = listener
	f.Server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	f.Server.EnableHTTP2 = true
	f.Server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{Certificates: []tls.Certificate{*f.serving.Load()}, ClientAuth: tls.RequestClientCert, NextProtos: []string{"h2", "http/1.1"}}, nil
	}}
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

// renew makes the server use a new certificate.
func (f *front) renew() {
	cert, err := tls.X509KeyPair(f.authority.sign("server"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.serving.Store(&cert)
}

// permit replaces the access control.
func (f *front) permit(allow func(*http.Request) bool) { f.allow.Store(&allow) }

// permitToken accepts requests with one token only.
func (f *front) permitToken(token string) {
	f.permit(func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+token })
}

func (f *front) config() *rest.Config {
	return &rest.Config{Host: f.URL, TLSClientConfig: rest.TLSClientConfig{CAData: f.authority.pem}, QPS: -1}
}

func (f *front) file(name, content string) string {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), name)
	f.replace(path, content)
	return path
}

func (f *front) replace(path, content string) {
	f.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		f.t.Fatal(err)
	}
}

// followed runs an informer of pods on a connection while during is called. It checks that the
// informer gets a pod that is created before and a pod that is created after.
func (f *front) followed(cfg *rest.Config, during func()) {
	f.t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	if err != nil {
		f.t.Fatal(err)
	}
	defer cluster.Close()
	inf, err := informer.Watch[corev1.Pod](cluster, informer.Config{
		Logger:    slog.New(slog.DiscardHandler),
		Reflector: reflector.Config{MinBackoff: 10 * time.Millisecond, MaxBackoff: 100 * time.Millisecond, SlowRetry: 100 * time.Millisecond},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(f.t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	work.Go(func() {
		if err := inf.Run(ctx); err != nil {
			f.t.Errorf("Run failed: %v", err)
		}
	})
	arrives := func(name string) {
		f.t.Helper()
		obj, err := f.api.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}})
		if err != nil {
			f.t.Fatal(err)
		}
		version, err := wire.ParseVersion(obj.GetResourceVersion())
		if err != nil {
			f.t.Fatal(err)
		}
		if err := inf.WaitFor(patience.Context(f.t, "the informer has a pod"), version); err != nil {
			h, _ := inf.Health()
			f.t.Fatalf("pod %q has not arrived: %v; last fault: %v", name, err, h.LastErr)
		}
	}
	arrives("before")
	during()
	f.CloseClientConnections()
	arrives("after")
}

// TestCredentialsChange: an informer continues after its token, its client certificate or
// the certificate of the server was replaced and the connections were cut.
func TestCredentialsChange(t *testing.T) {
	t.Cleanup(runtime.GC) // client-go stops the goroutines that reload certificates
	t.Run("exec plugin", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			return // the plugin is a shell script
		}
		testinput.Uncached(t)
		f := newFront(t, "127.0.0.1:0")
		f.permitToken("first")
		token := f.file("token", "first")
		plugin := f.file("plugin", "#!/bin/sh\n"+
			`printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat '`+token+"')\"\n")
		cfg := f.config()
		cfg.ExecProvider = &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: plugin, InteractiveMode: clientcmdapi.NeverExecInteractiveMode}
		f.followed(cfg, func() {
			f.replace(token, "second")
			f.permitToken("second")
		})
		if f.refused.Load() == 0 {
			t.Error("the old token was never refused")
		}
	})
	t.Run("client certificate", func(t *testing.T) {
		f := newFront(t, "127.0.0.1:0")
		permit := func(user string) {
			f.permit(func(r *http.Request) bool {
				return len(r.TLS.PeerCertificates) > 0 && r.TLS.PeerCertificates[0].Subject.CommonName == user
			})
		}
		permit("first")
		cert, key := f.authority.sign("first")
		cfg := f.config()
		cfg.CertFile, cfg.KeyFile = f.file("cert", string(cert)), f.file("key", string(key))
		f.followed(cfg, func() {
			cert, key := f.authority.sign("second")
			f.replace(cfg.CertFile, string(cert))
			f.replace(cfg.KeyFile, string(key))
			permit("second")
		})
	})
	t.Run("server certificate", func(t *testing.T) {
		f := newFront(t, "127.0.0.1:0")
		before := f.serving.Load()
		f.followed(f.config(), f.renew)
		if bytes.Equal(before.Certificate[0], f.serving.Load().Certificate[0]) {
			t.Error("the certificate has not changed")
		}
	})
}

// TestIPv6: the address of the server is an IPv6 address.
func TestIPv6(t *testing.T) {
	f := newFront(t, "[::1]:0")
	f.followed(f.config(), func() {})
	cluster, err := kube.Connect(kube.Config{REST: f.config()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	if !strings.HasPrefix(cluster.Host(), "[::1]:") {
		t.Errorf("got host %q, want [::1] and a port", cluster.Host())
	}
}

// connectProxy is a proxy that connects every request to one address. It speaks HTTP
// CONNECT and SOCKS5.
type connectProxy struct {
	t        *testing.T
	listener net.Listener
	target   string
	work     sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
	hosts    []string
}

func newConnectProxy(t *testing.T, target string, handshake func(*connectProxy, net.Conn) (host string, err error)) *connectProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &connectProxy{t: t, listener: listener, target: target}
	p.work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.work.Go(func() { p.serve(conn, handshake) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.cut()
		p.work.Wait()
	})
	return p
}

func (p *connectProxy) serve(conn net.Conn, handshake func(*connectProxy, net.Conn) (string, error)) {
	defer conn.Close()
	host, err := handshake(p, conn)
	if err != nil {
		p.t.Errorf("the handshake of the proxy failed: %v", err)
		return
	}
	below, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer below.Close()
	p.mu.Lock()
	p.hosts, p.conns = append(p.hosts, host), append(p.conns, conn, below)
	p.mu.Unlock()
	var copies sync.WaitGroup
	copies.Go(func() { _, _ = io.Copy(below, conn); below.Close() })
	copies.Go(func() { _, _ = io.Copy(conn, below); conn.Close() })
	copies.Wait()
}

// cut closes all connections.
func (p *connectProxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
}

// expectHost checks that every connection was for one host.
func (p *connectProxy) expectHost(want string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hosts) < 2 {
		p.t.Errorf("%d connections through the proxy, want at least 2", len(p.hosts))
	}
	for _, host := range p.hosts {
		if host != want {
			p.t.Errorf("the proxy was asked for %q, want %q", host, want)
		}
	}
}

// httpConnect reads the header of a CONNECT request byte by byte, so that it takes nothing
// of what follows.
func httpConnect(_ *connectProxy, conn net.Conn) (string, error) {
	var header []byte
	for b := make([]byte, 1); !bytes.HasSuffix(header, []byte("\r\n\r\n")); header = append(header, b...) {
		if _, err := io.ReadFull(conn, b); err != nil {
			return "", err
		}
	}
	fields := strings.Fields(string(header))
	if fields[0] != http.MethodConnect {
		return "", fmt.Errorf("method %s", fields[0])
	}
	_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	return fields[1], err
}

// socks5 answers a request without authentication for a host name (RFC 1928).
func socks5(_ *connectProxy, conn net.Conn) (string, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(conn, head); err != nil {
		return "", err
	}
	if _, err := io.ReadFull(conn, make([]byte, head[1])); err != nil {
		return "", err
	}
	if _, err := conn.Write([]byte{5, 0}); err != nil {
		return "", err
	}
	request := make([]byte, 5)
	if _, err := io.ReadFull(conn, request); err != nil {
		return "", err
	}
	if request[3] != 3 {
		return "", fmt.Errorf("address type %d, want a host name", request[3])
	}
	address := make([]byte, int(request[4])+2)
	if _, err := io.ReadFull(conn, address); err != nil {
		return "", err
	}
	_, err := conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	n := int(request[4])
	return fmt.Sprintf("%s:%d", address[:n], binary.BigEndian.Uint16(address[n:])), err
}

// TestProxies: an informer reaches a server whose name only the proxy can resolve.
func TestProxies(t *testing.T) {
	for scheme, handshake := range map[string]func(*connectProxy, net.Conn) (string, error){"http": httpConnect, "socks5": socks5} {
		t.Run(scheme, func(t *testing.T) {
			f := newFront(t, "127.0.0.1:0")
			p := newConnectProxy(t, f.Listener.Addr().String(), handshake)
			cfg := f.config()
			cfg.Host = "https://cluster.test:6443"
			cfg.Proxy = http.ProxyURL(&url.URL{Scheme: scheme, Host: p.listener.Addr().String()})
			f.followed(cfg, p.cut)
			p.expectHost("cluster.test:6443")
		})
	}
}

const proxyVariable = "VEDETTE_TEST_PROXY_CA"

// TestProxyFromEnvironment runs this test again as a program with HTTPS_PROXY, because the
// net/http package reads the environment once.
func TestProxyFromEnvironment(t *testing.T) {
	if ca := os.Getenv(proxyVariable); ca != "" {
		cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "https://cluster.test:6443", TLSClientConfig: rest.TLSClientConfig{CAFile: ca}}})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		if _, err := cluster.Resolve(t.Context(), "trainjobs"); err == nil || !strings.Contains(err.Error(), "no resource type") {
			t.Fatalf("the server has not answered: %v", err)
		}
		return
	}
	testinput.Uncached(t)
	f := newFront(t, "127.0.0.1:0")
	p := newConnectProxy(t, f.Listener.Addr().String(), httpConnect)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyFromEnvironment$")
	cmd.Env = append(os.Environ(), proxyVariable+"="+f.file("ca", string(f.authority.pem)), "HTTPS_PROXY=http://"+p.listener.Addr().String(), "NO_PROXY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the child process failed: %v\n%s", err, out)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hosts) == 0 {
		t.Error("no connection through the proxy")
	}
}
