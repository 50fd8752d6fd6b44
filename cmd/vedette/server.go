package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vedette-io/vedette/internal/printable"
)

// server answers /healthz, /readyz and /metrics over HTTP. No answer contains data of
// objects.
type server struct {
	addr     string
	listener net.Listener
	http     *http.Server
}

// probeTimeout bounds a probe or a scrape.
const probeTimeout = 5 * time.Second

// newServer opens the listener; run answers requests. ready returns what is not ready,
// joined. metrics are shown beside those of the process.
//
// Errors: the address cannot be used.
func newServer(addr string, ready func(context.Context) error, metrics ...prometheus.Collector) (*server, error) {
	registry := prometheus.NewRegistry()
	for _, c := range append(metrics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w; use a free address of the form HOST:PORT, such as 127.0.0.1:8080", addr, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }) // the client may have gone
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
		defer cancel()
		if err := ready(ctx); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			for _, err := range flat(err) {
				_, _ = fmt.Fprintln(w, printable.Line(oneLine(err.Error()))) // as above
			}
			return
		}
		_, _ = fmt.Fprintln(w, "ok") // as above
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Timeout: probeTimeout}))
	return &server{
		addr: listener.Addr().String(), listener: listener,
		http: &http.Server{Handler: mux, ReadHeaderTimeout: probeTimeout, ReadTimeout: probeTimeout, WriteTimeout: 3 * probeTimeout, IdleTimeout: time.Minute},
	}, nil
}

// run answers requests until ctx is done. It then gives open requests a second to end.
//
// Errors: the listener failed.
func (s *server) run(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("%s: %w", s.addr, err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := s.http.Shutdown(last); err != nil {
		_ = s.http.Close() // cuts the requests that did not end in time
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveWhile calls do, and answers requests at an address meanwhile, unless it is empty. An
// error of one ends the other.
func serveWhile(ctx context.Context, listen string, ready func(context.Context) error, con *console, do func(context.Context) error, metrics ...prometheus.Collector) error {
	if listen == "" {
		return do(ctx)
	}
	srv, err := newServer(listen, ready, metrics...)
	if err != nil {
		return err
	}
	con.say("health and metrics at http://%s", srv.addr)
	ctx, cancel := context.WithCancelCause(ctx)
	served := make(chan error, 1)
	go func() {
		err := srv.run(ctx)
		cancel(err)
		served <- err
	}()
	err = do(ctx)
	cancel(err)
	return errors.Join(err, <-served)
}
