package apitest

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Server is an API server in the process. All methods may be called from any goroutine, also while clients are at work.
type Server struct {
	cfg     Config
	http    *http.Server
	pipes   *pipeListener
	faults  faultRegistry
	podLogs podLogs

	mu      sync.Mutex // guards what follows; never held while something waits or is sent
	version uint64
	tables  map[schema.GroupVersionResource]*table
	kinds   map[schema.GroupVersionKind]*table

	logMu sync.Mutex
	log   requestLog

	netMu   sync.Mutex // guards what follows
	network network
	done    chan struct{} // closed by Close
	work    sync.WaitGroup
}

// doors are the ways in.
type network struct {
	started     bool // the pipe listener is being served
	unavailable bool // Unavailable was called
	closed      bool
	conns       map[net.Conn]struct{}
	listeners   map[string]tcpListener // by address
}

// tcpDoor is a listener, with the certificate of its connections if they are encrypted.
type tcpListener struct {
	net.Listener
	tls *tls.Config // nil for plain HTTP
}

// New returns a server with the built-in types and those of the Config. It starts no goroutine: RESTConfig, Dial and
// Listen do, and Close ends them all.
//
// Errors: ErrConfig, ErrType.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg:     cfg,
		pipes:   newPipeListener(),
		version: cfg.Version,
		tables:  map[schema.GroupVersionResource]*table{},
		kinds:   map[schema.GroupVersionKind]*table{},
		log:     requestLog{limit: cfg.RequestLog},
		network: network{conns: map[net.Conn]struct{}{}, listeners: map[string]tcpListener{}},
		done:    make(chan struct{}),
	}
	s.faults.init()
	s.podLogs.init()
	s.http = &http.Server{
		Handler:   http.HandlerFunc(s.serve),
		ConnState: s.track,
	}
	for _, res := range builtins() {
		if err := s.addTable(res); err != nil {
			return nil, err
		}
	}
	for _, t := range cfg.Types {
		if err := s.Register(t); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Version returns the latest resource version the server has given.
func (s *Server) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Compact forgets the history of all types now: watches, exact lists and continuations from an earlier version are
// answered 410, and so is a running watch that has not sent everything yet.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		t.window.forget(s.version)
		t.notify()
	}
}

// RESTConfig returns a new configuration for client-go that reaches the server over in-memory pipes, without a limit
// on the client's rate. It carries no token: set BearerToken if the Config has some. No real socket is involved, so it
// works inside testing/synctest if New was called there too. The goroutines of idle client connections end with Close.
func (s *Server) RESTConfig() *rest.Config {
	s.startPipes()
	return &rest.Config{Host: "http://apitest", Dial: s.Dial, QPS: -1}
}

// Dial connects to the server over an in-memory pipe, whatever the network and the address; it fits http.Transport.
//
// Errors: a *net.OpError that holds ECONNREFUSED after Unavailable and Close.
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

// startPipes serves the pipe listener from the first time somebody may want it.
func (s *Server) startPipes() {
	s.netMu.Lock()
	defer s.netMu.Unlock()
	if s.network.started || s.network.closed {
		return
	}
	s.network.started = true
	s.acceptLocked(s.pipes)
}

// Listen serves TCP at an address such as "127.0.0.1:0" as well, and returns the URL to reach it at. Plain HTTP: keep
// it to the loopback interface.
//
// Errors: ErrClosed, and those of net.Listen.
func (s *Server) Listen(addr string) (url string, err error) {
	reached, err := s.listen(addr, nil)
	return "http://" + reached, err
}

// ListenTLS is Listen for HTTPS. authority is the certificate in PEM that clients must trust, as in the field
// certificate-authority-data of a kubeconfig. The server makes it for the host of addr, which must be an IP address, and it
// is valid for a day. Clients send tokens only over HTTPS.
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

// listen opens a listener, and returns the address that it is reached at.
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
		// The only way it ends is that the listener is closed, which is no news to who closed it.
		_ = s.http.Serve(l)
	})
}

// Unavailable takes the server away: connections are reset, new ones refused. The objects stay.
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

// Available brings the server back, at the same addresses.
//
// Errors: ErrClosed, and those of net.Listen if an address has been taken meanwhile.
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
		// Errors of closing are of no use to anyone: nothing is buffered.
		_ = s.http.Close()
		for _, conn := range conns {
			_ = conn.Close()
		}
	}
	s.work.Wait()
}

// track counts the connections, so that Close can join their goroutines, and refuses those that come too late.
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
