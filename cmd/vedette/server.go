package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/portal/identity"
	"github.com/vedette-io/vedette/portal/web"
)

// server answers /healthz, /readyz and /metrics over HTTP. These answers contain no data of
// objects.
type server struct {
	addr     string
	listener net.Listener
	handler  http.Handler
	tls      *tls.Config
}

// listening says where a server listens, and what it serves.
type listening struct {
	addr string
	// ready returns what is not ready, joined.
	ready func(context.Context) error
	// rest serves all other paths; nil if there are none.
	rest http.Handler
	tls  *tls.Config // nil for plain HTTP
	// signsIn says that people sign in to rest. Otherwise a loopback address has names of this
	// machine only, and hosts.
	signsIn bool
	hosts   []string
}

// probeTimeout bounds a probe or a scrape.
const probeTimeout = 5 * time.Second

// newServer opens the listener; run answers requests. metrics are shown beside those of the
// process.
//
// Errors: the address cannot be used.
func newServer(l listening, metrics ...prometheus.Collector) (*server, error) {
	registry := prometheus.NewRegistry()
	for _, c := range append(metrics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", l.addr)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w; use a free address of the form HOST:PORT, such as 127.0.0.1:8090", l.addr, err)
	}
	mux := http.NewServeMux()
	local := func(next http.Handler) http.Handler {
		if l.signsIn {
			return next
		}
		return identity.Named(l.addr, l.hosts, next)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }) // the client may have gone
	mux.Handle("GET /readyz", local(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8") // errors have texts of servers
		w.Header().Set("X-Content-Type-Options", "nosniff")
		ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
		defer cancel()
		if err := l.ready(ctx); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			for _, err := range flat(err) {
				_, _ = fmt.Fprintln(w, printable.Line(oneLine(err.Error()))) // as above
			}
			return
		}
		_, _ = fmt.Fprintln(w, "ok") // as above
	})))
	mux.Handle("GET /metrics", local(promhttp.HandlerFor(registry, promhttp.HandlerOpts{Timeout: probeTimeout})))
	if l.rest != nil {
		mux.Handle("/", l.rest)
	}
	return &server{addr: listener.Addr().String(), listener: listener, handler: mux, tls: l.tls}, nil
}

// run answers requests until ctx is done. It then gives open requests some seconds to end.
//
// Errors: the listener failed.
func (s *server) run(ctx context.Context) error {
	if err := web.Serve(ctx, s.listener, s.handler, s.tls, nil); err != nil {
		return fmt.Errorf("%s: %w", s.addr, err)
	}
	return nil
}

// serveWhile calls do, and answers requests at an address meanwhile, unless it is empty. An
// error of one ends the other.
func serveWhile(ctx context.Context, l listening, con *console, do func(context.Context) error, metrics ...prometheus.Collector) error {
	if l.addr == "" {
		return do(ctx)
	}
	srv, err := newServer(l, metrics...)
	if err != nil {
		return err
	}
	scheme := "http"
	if l.tls != nil {
		scheme = "https"
	}
	con.say("health and metrics at %s://%s", scheme, srv.addr)
	if l.rest != nil {
		con.say("the portal at %s://%s/jobs", scheme, srv.addr)
	}
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
