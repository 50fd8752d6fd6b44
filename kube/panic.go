package kube

import (
	"fmt"
	"net/http"
	"runtime/debug"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/vedette-io/vedette/internal/stacktrace"
)

// guardedTransport turns a panic of a transport into an error, because informers, elections
// and discovery make requests on goroutines of their own. The program may have set or wrapped
// the transport.
type guardedTransport struct{ below http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t guardedTransport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			resp, err = nil, fmt.Errorf("the transport panicked: %v, in %s", v, stacktrace.Line(debug.Stack()))
		}
	}()
	return t.below.RoundTrip(req)
}

// CloseIdleConnections closes the idle connections of the transport below.
func (t guardedTransport) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(t.below) }

// WrappedRoundTripper implements utilnet.RoundTripperWrapper.
func (t guardedTransport) WrappedRoundTripper() http.RoundTripper { return t.below }
