package webhook

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/internal/graceful"
	"github.com/vedette-io/vedette/internal/userlog"
)

// Limits of the server.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = time.Minute
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// ErrRunning is returned by Handle and by Run after Run was called.
var ErrRunning = errors.New("webhook: Run was called already")

// Server answers the reviews of an API server. Create it with New, add handlers, and call
// Run. It is a prometheus.Collector with the number of requests and their durations. Any
// goroutine may use it.
type Server struct {
	cfg         Config
	certificate *certificate
	http        *http.Server
	slots       chan struct{} // one element for each request that is processed
	metrics     metrics

	mu        sync.Mutex
	endpoints map[string]*endpoint // by path; only read once Run was called
	running   bool
	listening net.Addr // nil unless it listens
}

// New reads the certificate, and returns a Server without handlers. It does not listen yet.
//
// Errors: an invalid configuration; a certificate that cannot be read.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, endpoints: map[string]*endpoint{}, slots: make(chan struct{}, cfg.Concurrent),
		metrics: newMetrics(),
	}
	s.certificate = &certificate{certFile: cfg.CertFile, keyFile: cfg.KeyFile, log: s.log}
	if err := s.certificate.load(); err != nil {
		return nil, err
	}
	authorities, err := cfg.clientCAs()
	if err != nil {
		return nil, err
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.certificate.get, ClientCAs: authorities}
	if authorities != nil {
		secure.ClientAuth = tls.RequireAndVerifyClientCert
	}
	s.http = &http.Server{
		Handler: s, TLSConfig: secure, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: bodyTimeout + maxTimeout, IdleTimeout: idleTimeout,
		ErrorLog: log.New(connectionLog{s.log}, "", 0),
	}
	return s, nil
}

// Handle adds a handler for a path such as "/validate-trainjob".
//
// Errors: a path that does not begin with "/" or is taken; an invalid handler; ErrRunning.
func (s *Server) Handle(path string, h Handler) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running:
		return ErrRunning
	case !strings.HasPrefix(path, "/"):
		return fmt.Errorf("webhook: path %q does not begin with /", path)
	case s.endpoints[path] != nil:
		return fmt.Errorf("webhook: path %q has a handler already", path)
	case h == nil:
		return fmt.Errorf("webhook: the handler of path %q is nil", path)
	}
	if err := h.check(); err != nil {
		return err
	}
	s.endpoints[path] = &endpoint{path: path, handler: h, maxBody: cmp.Or(s.cfg.MaxBody, h.maxBody()), slots: s.slots, metrics: s.metrics, logger: s.log}
	return nil
}

// ServeHTTP answers one request. Run calls it; tests may call it without TLS once all
// handlers are added.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := s.endpoints[r.URL.Path]
	switch {
	case e == nil:
		http.Error(w, "the program has no webhook with this path", http.StatusNotFound)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "a webhook takes POST", http.StatusMethodNotAllowed)
	default:
		e.ServeHTTP(w, r)
	}
}

// Run listens and answers reviews until ctx is done. Open requests then get three seconds.
// Call it once.
//
// Errors: an address that cannot be used; ErrRunning.
func (s *Server) Run(ctx context.Context) error {
	s.mu.Lock()
	if s.running {
		s.mu.Unlock()
		return ErrRunning
	}
	s.running = true
	s.mu.Unlock()
	l, err := net.Listen("tcp", s.cfg.Listen)
	if err != nil {
		return fmt.Errorf("webhook: Config.Listen %s: %w; use a free address of the form HOST:PORT", s.cfg.Listen, err)
	}
	s.listen(l.Addr())
	defer s.listen(nil)
	s.log().Info("webhooks are served", "address", l.Addr().String(), "certificate expires", s.certificate.expires())
	return graceful.Serve(ctx, s.http, func() error { return s.http.ServeTLS(l, "", "") })
}

func (s *Server) listen(a net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listening = a
}

// Addr returns the address on which the server listens, and nil unless it runs.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listening
}

// Ready returns nil if the server listens with a valid certificate, and otherwise the reason.
// It fits manager.Manager.AddCheck.
func (s *Server) Ready(context.Context) error {
	if s.Addr() == nil {
		return errors.New("webhook: the server does not listen")
	}
	if end := s.certificate.expires(); time.Now().After(end) {
		return fmt.Errorf("webhook: the certificate %s expired on %s; replace the file", s.cfg.CertFile, end.UTC().Format(time.RFC3339))
	}
	return nil
}

// Describe implements prometheus.Collector.
func (s *Server) Describe(ch chan<- *prometheus.Desc) {
	s.metrics.requests.Describe(ch)
	s.metrics.seconds.Describe(ch)
}

// Collect implements prometheus.Collector.
func (s *Server) Collect(ch chan<- prometheus.Metric) {
	s.metrics.requests.Collect(ch)
	s.metrics.seconds.Collect(ch)
}

// log returns the logger. Each call reads the current default logger.
func (s *Server) log() *slog.Logger {
	return userlog.Of(s.cfg.Logger)
}

// connectionLog logs errors of single connections, such as those of port scanners, for
// debugging.
type connectionLog struct{ log func() *slog.Logger }

func (c connectionLog) Write(text []byte) (int, error) {
	c.log().Debug("a connection has failed", "err", strings.TrimSpace(string(text)))
	return len(text), nil
}
