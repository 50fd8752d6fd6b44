package submit_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/internal/testinput"
)

// cut is the fault of a request.
type cut uint8

const (
	whole  cut = iota
	before     // the server never gets the request
	after      // the server handles the request, and the response is lost
	within     // the response ends in the middle
	cuts
)

func (c cut) String() string { return [...]string{"whole", "before", "after", "within"}[c] }

// cutter is a proxy between a client and the API server that cuts connections at random.
type cutter struct {
	to     string
	client *http.Client

	mu   sync.Mutex
	rand *rand.Rand
	seen map[string]map[cut]int // by method and kind of request
}

// newCutter returns a cutter, and the configuration of a client behind it.
func newCutter(t *testing.T, rc *rest.Config) (*cutter, *rest.Config) {
	t.Helper()
	pem, err := os.ReadFile(rc.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, MaxIdleConnsPerHost: 50}
	c := &cutter{to: rc.Host, client: &http.Client{Transport: transport}, rand: testinput.Rand(t), seen: map[string]map[cut]int{}}
	srv := httptest.NewUnstartedServer(c)
	srv.Config.ErrorLog = nil
	srv.StartTLS()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		transport.CloseIdleConnections()
	})
	behind := *rc
	behind.Host, behind.TLSClientConfig = srv.URL, rest.TLSClientConfig{Insecure: true}
	return c, &behind
}

// next selects the fault of a request. Two of five requests are cut.
func (c *cutter) next(kind string) cut {
	c.mu.Lock()
	defer c.mu.Unlock()
	how := whole
	if c.rand.IntN(5) < 2 {
		how = before + cut(c.rand.IntN(int(cuts-before)))
	}
	if c.seen[kind] == nil {
		c.seen[kind] = map[cut]int{}
	}
	c.seen[kind][how]++
	return how
}

// kindOf returns the purpose of a request.
func kindOf(r *http.Request) string {
	switch {
	case r.URL.Query().Has("dryRun"):
		return "dry run"
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/jobs"):
		return "creation"
	}
	return strings.ToLower(r.Method)
}

// ServeHTTP implements http.Handler.
func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	how := c.next(kindOf(r))
	body, err := io.ReadAll(r.Body)
	if err != nil || how == before {
		panic(http.ErrAbortHandler)
	}
	to, err := http.NewRequestWithContext(r.Context(), r.Method, c.to+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	to.Header = r.Header.Clone()
	resp, err := c.client.Do(to)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || how == after {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), resp.Header)
	w.Header().Del("Content-Length")
	w.WriteHeader(resp.StatusCode)
	if how == within {
		_, _ = w.Write(answer[:len(answer)/2]) // the client may have disconnected
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(answer) // as above
}
