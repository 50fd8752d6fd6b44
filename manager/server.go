package manager

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vedette-io/vedette/internal/graceful"
	"github.com/vedette-io/vedette/metrics"
)

// Limits of the server.
const (
	probeTimeout  = 5 * time.Second
	headerTimeout = 10 * time.Second
	maxHeader     = 64 << 10
)

// server answers requests at one address.
type server struct {
	listener net.Listener
	http     *http.Server
}

// probes returns the handlers of /healthz, /readyz and /metrics.
func (m *Manager) probes() (*http.ServeMux, error) {
	registry := prometheus.NewRegistry()
	all := append([]prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		metrics.New(m.factory.List), metrics.NewControllers(m.health),
	}, m.metrics...)
	for _, c := range all {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("manager: metrics: %w", err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
		defer cancel()
		answer(w, m.Ready(ctx))
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Timeout: probeTimeout}))
	return mux, nil
}

// newServer opens a listener.
func newServer(address string, mux *http.ServeMux) (*server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &server{l, &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout, MaxHeaderBytes: maxHeader}}, nil
}

// answer answers a probe. Texts of errors may come from other servers.
func answer(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	text := "ok"
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		text = err.Error()
	}
	_, _ = fmt.Fprintln(w, text) // the client may have disconnected
}

func (s *server) address() string { return s.listener.Addr().String() }

// run answers requests until ctx is done.
func (s *server) run(ctx context.Context) error {
	return graceful.Serve(ctx, s.http, func() error { return s.http.Serve(s.listener) })
}
