package apitest

import (
	"crypto/tls"
	"net"
	"net/http"
)

// network is the state of the listeners.
type network struct {
	started     bool // the pipe listener is being served
	unavailable bool // Unavailable was called
	closed      bool
	conns       map[net.Conn]struct{}
	listeners   map[string]tcpListener // by address
}

// tcpListener is a listener, with its certificate if connections are encrypted.
type tcpListener struct {
	net.Listener
	tls *tls.Config // nil for plain HTTP
}

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// sharedWriter writes the response to a request of HTTP/2, which shares its connection with others.
type sharedWriter struct {
	http.ResponseWriter
	conn net.Conn
}

// Unwrap lets http.ResponseController flush the response.
func (w sharedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
