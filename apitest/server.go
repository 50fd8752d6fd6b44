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

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Server is an API server in the process. All methods may be called from any goroutine, also while clients use it.
type Server struct {
	cfg     Config
	http    *http.Server
	pipes   *pipeListener
	faults  faultRegistry
	podLogs podLogs

	mu      sync.Mutex // guards the following fields; never held while waiting or sending
	version uint64
	tables  map[schema.GroupVersionResource]*table
	kinds   map[schema.GroupVersionKind]*table

	logMu  sync.Mutex // taken with mu held, never the other way around
	log    ring[Request]
	writes ring[record]

	netMu   sync.Mutex // guards the following fields
	network network
	done    chan struct{} // closed by Close
	work    sync.WaitGroup
}

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
		log:     ring[Request]{limit: cfg.RequestLog},
		writes:  ring[record]{limit: cfg.RequestLog},
		network: network{conns: map[net.Conn]struct{}{}, listeners: map[string]tcpListener{}},
		done:    make(chan struct{}),
	}
	s.faults.init()
	s.podLogs.init()
	s.http = &http.Server{
		Handler:   http.HandlerFunc(s.serve),
		ConnState: s.track,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
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
	if cfg.SystemNamespaces {
		for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease} {
			if _, err := s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// Version returns the latest resource version of the server.
func (s *Server) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Compact forgets the history of all types: watches, exact lists and continuations from an earlier version are answered
// 410, and so is a running watch that has not sent everything yet.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		t.window.forget(s.version)
		t.notify()
	}
}

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
