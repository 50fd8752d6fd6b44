package network

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Buffer is a proxy for HTTP that passes on an answer only when it is complete, as load
// balancers do. It returns the URL of the proxy, which ends with the test. An answer that is
// not complete within the limit is 504 instead.
func Buffer(t testing.TB, to *rest.Config, limit time.Duration) (url string) {
	t.Helper()
	transport, err := rest.TransportFor(to)
	if err != nil {
		t.Fatal(err)
	}
	b := &buffer{host: to.Host, transport: transport, limit: limit}
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	return srv.URL
}

type buffer struct {
	host      string
	transport http.RoundTripper
	limit     time.Duration
}

// ServeHTTP implements http.Handler.
func (b *buffer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), b.limit)
	defer cancel()
	resp, body, err := b.pass(r.WithContext(ctx))
	if err != nil {
		w.WriteHeader(http.StatusGatewayTimeout)
		return
	}
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(body) // the client may have gone
}

// pass sends a request to the server, and reads the whole answer.
func (b *buffer) pass(r *http.Request) (*http.Response, []byte, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, b.host+r.URL.RequestURI(), r.Body)
	if err != nil {
		return nil, nil, err
	}
	out.Header = r.Header.Clone()
	out.Header.Del("Accept-Encoding") // the transport adds its own, and decompresses
	resp, err := b.transport.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}
