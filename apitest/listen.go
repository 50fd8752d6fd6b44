package apitest

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"

	"k8s.io/client-go/rest"
)

// RESTConfig returns a new configuration for client-go. It connects over in-memory pipes, without a limit on the
// client's rate. It has no token: set BearerToken if Config.Tokens is set. No real socket is involved, so it works
// inside testing/synctest if New was called there, too. The goroutines of idle client connections end with Close.
func (s *Server) RESTConfig() *rest.Config {
	s.startPipes()
	return &rest.Config{Host: "http://apitest", Dial: s.Dial, QPS: -1}
}

// Dial connects to the server over an in-memory pipe. It ignores the network and the address, and can be used in
// http.Transport.
//
// Errors: a *net.OpError with ECONNREFUSED after Unavailable and Close.
func (s *Server) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	s.startPipes()
	s.netMu.Lock()
	away := s.network.unavailable || s.network.closed
	s.netMu.Unlock()
	if away {
		return nil, refused()
	}
	return s.pipes.dial(ctx)
}

// startPipes serves the pipe listener from its first use.
func (s *Server) startPipes() {
	s.netMu.Lock()
	defer s.netMu.Unlock()
	if s.network.started || s.network.closed {
		return
	}
	s.network.started = true
	s.acceptLocked(s.pipes)
}

// Listen also serves plain HTTP over TCP at an address such as "127.0.0.1:0", and returns the URL. Use only addresses
// of the loopback interface.
//
// Errors: ErrClosed, and those of net.Listen.
func (s *Server) Listen(addr string) (url string, err error) {
	reached, err := s.listen(addr, nil)
	return "http://" + reached, err
}

// ListenTLS is Listen for HTTPS, with HTTP/2 for clients that support it. authority is the certificate in PEM that clients must trust, as in the field
// certificate-authority-data of a kubeconfig. The server creates it for the host of addr, which must be an IP address.
// It is valid for a day. Clients send tokens only over HTTPS.
//
// Errors: ErrClosed, and those of net.Listen.
func (s *Server) ListenTLS(addr string) (url string, authority []byte, err error) {
	secret, authority, err := newCertificate(addr)
	if err != nil {
		return "", nil, fmt.Errorf("apitest: listen at %s: %w", addr, err)
	}
	reached, err := s.listen(addr, secret)
	return "https://" + reached, authority, err
}

// listen opens a listener, and returns its address.
func (s *Server) listen(addr string, secret *tls.Config) (reached string, err error) {
	s.netMu.Lock()
	defer s.netMu.Unlock()
	if s.network.closed {
		return "", ErrClosed
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", fmt.Errorf("apitest: listen at %s: %w", addr, err)
	}
	reached = l.Addr().String()
	s.openLocked(reached, tcpListener{l, secret})
	return reached, nil
}

// openLocked serves a listener.
func (s *Server) openLocked(addr string, d tcpListener) {
	s.network.listeners[addr] = d
	if d.tls != nil {
		s.acceptLocked(tls.NewListener(d.Listener, d.tls))
		return
	}
	s.acceptLocked(d.Listener)
}

// acceptLocked serves a listener until it is closed, in a goroutine that Close joins.
func (s *Server) acceptLocked(l net.Listener) {
	s.work.Go(func() {
		// Serve only returns because the listener was closed.
		_ = s.http.Serve(l)
	})
}

// Unavailable makes the server unreachable: connections are reset, and new ones are refused. The objects stay.
func (s *Server) Unavailable() {
	s.netMu.Lock()
	defer s.netMu.Unlock()
	s.network.unavailable = true
	for _, l := range s.network.listeners {
		_ = l.Close()
	}
	for conn := range s.network.conns {
		resetConn(conn)
	}
}

// Available makes the server reachable again, at the same addresses.
//
// Errors: ErrClosed, and those of net.Listen if an address is no longer free.
func (s *Server) Available() error {
	s.netMu.Lock()
	defer s.netMu.Unlock()
	if s.network.closed {
		return ErrClosed
	}
	if !s.network.unavailable {
		return nil
	}
	for addr, d := range s.network.listeners {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return fmt.Errorf("apitest: listen at %s again: %w", addr, err)
		}
		s.openLocked(addr, tcpListener{l, d.tls})
	}
	s.network.unavailable = false
	return nil
}

// Close ends all watches and connections, and returns when every goroutine of the server has ended. Clients see their
// connections end. A second call does nothing.
func (s *Server) Close() {
	s.netMu.Lock()
	first := !s.network.closed
	s.network.closed = true // new connections are refused
	conns := slices.Collect(maps.Keys(s.network.conns))
	s.netMu.Unlock()
	if first {
		// Close without the lock: it waits for goroutines that accept connections, and
		// they take the lock.
		close(s.done)
		_ = s.pipes.Close()
		// Errors of closing do not matter: nothing is buffered.
		_ = s.http.Close()
		for _, conn := range conns {
			_ = conn.Close()
		}
	}
	s.work.Wait()
}

// track counts the connections, so that Close can wait for their goroutines. It closes connections that arrive after
// Close.
func (s *Server) track(conn net.Conn, state http.ConnState) {
	s.netMu.Lock()
	defer s.netMu.Unlock()
	switch state {
	case http.StateNew:
		s.work.Add(1)
		s.network.conns[conn] = struct{}{}
		if s.network.closed || s.network.unavailable {
			_ = conn.Close()
		}
	case http.StateClosed, http.StateHijacked:
		if _, open := s.network.conns[conn]; open {
			delete(s.network.conns, conn)
			s.work.Done()
		}
	case http.StateActive, http.StateIdle:
	}
}
