package pages_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// gate is a proxy between a browser and the sample data. It answers some requests itself.
type gate struct {
	base string

	mu     sync.Mutex
	prefix string        // of paths below /api/v1 that the gate answers
	answer *api.Problem  // nil: requests wait until free is closed
	free   chan struct{} // ends waiting requests
}

// newGate starts a proxy of a server.
func newGate(t *testing.T, to string) *gate {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{free: make(chan struct{})}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }, FlushInterval: -1, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
		w.WriteHeader(http.StatusBadGateway)
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		mine := g.prefix != "" && strings.HasPrefix(r.URL.Path, api.Prefix+g.prefix)
		answer, free := g.answer, g.free
		g.mu.Unlock()
		switch {
		case !mine:
			proxy.ServeHTTP(w, r)
		case answer == nil:
			select {
			case <-free:
			case <-r.Context().Done():
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(answer.Status)
			_ = json.NewEncoder(w).Encode(answer) // the browser may have disconnected
		}
	}))
	t.Cleanup(func() {
		g.open()
		server.CloseClientConnections()
		server.Close()
	})
	g.base = server.URL
	return g
}

// shut answers paths with a prefix with a problem; with nil they wait.
func (g *gate) shut(prefix string, answer *api.Problem) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prefix, g.answer = prefix, answer
}

// open passes all requests on, and ends waiting ones.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.free)
	g.prefix, g.answer, g.free = "", nil, make(chan struct{})
}
