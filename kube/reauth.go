package kube

import (
	"net/http"
	"sync/atomic"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// reauthTransport closes idle connections after a 401. A client certificate is presented
// when a connection opens, so only a new connection uses a certificate file that has been
// replaced. client-go notices a new file after up to five minutes.
type reauthTransport struct {
	below   http.RoundTripper
	refused atomic.Bool // a response was 401, and idle connections are not closed yet
}

// RoundTrip implements http.RoundTripper. The connections are closed before the next
// request, because the connection of a 401 is not idle before its body was read.
func (t *reauthTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.refused.Swap(false) {
		t.CloseIdleConnections()
	}
	resp, err := t.below.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		t.refused.Store(true)
	}
	return resp, err
}

// CloseIdleConnections closes the idle connections of the transport below. The transports
// of client-go do not pass on this call.
func (t *reauthTransport) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(t.below) }

// WrappedRoundTripper implements utilnet.RoundTripperWrapper.
func (t *reauthTransport) WrappedRoundTripper() http.RoundTripper { return t.below }
