package httpserver

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

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// Server answers /healthz, /readyz and /metrics over HTTP. These answers contain no data of
// objects.
type Server struct {
	addr     string
	Listener net.Listener
	Handler  http.Handler
	tls      *tls.Config
}

// Config is the configuration of a server.
type Config struct {
	Addr string
	// Ready returns the joined errors of all parts that are not ready, or nil.
	Ready func(context.Context) error
	// Rest serves all other paths; nil if there are none.
	Rest http.Handler
	// LocalToken opens Rest; empty if users sign in, or if everybody on this machine may use it.
	LocalToken string
	// ProfileToken opens the profiles, which a server on a loopback address has; empty for none.
	ProfileToken string
	Tls          *tls.Config // nil for plain HTTP
	// SignsIn means that users sign in to Rest. Without it, a server on a loopback address
	// accepts only host names of this machine.
	SignsIn bool
	Hosts   []string
}

// probeTimeout bounds a probe or a scrape.
const probeTimeout = 5 * time.Second

// New opens the listener; run answers requests. The server exports metrics together with those
// of the process.
//
// Errors: the address cannot be used.
func New(l Config, metrics ...prometheus.Collector) (*Server, error) {
	registry := prometheus.NewRegistry()
	for _, c := range append(metrics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", l.Addr)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w; use a free address of the form HOST:PORT, such as 127.0.0.1:8090", l.Addr, err)
	}
	mux := http.NewServeMux()
	local := func(next http.Handler) http.Handler {
		if l.SignsIn {
			return next
		}
		return identity.Named(l.Addr, l.Hosts, next)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }) // the client may have disconnected
	mux.Handle("GET /readyz", local(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8") // errors contain texts from servers
		w.Header().Set("X-Content-Type-Options", "nosniff")
		ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
		defer cancel()
		if err := l.Ready(ctx); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			for _, err := range explain.Flatten(err) {
				_, _ = fmt.Fprintln(w, printable.Line(printable.OneLine(err.Error()))) // as above
			}
			return
		}
		_, _ = fmt.Fprintln(w, "ok") // as above
	})))
	mux.Handle("GET /metrics", local(promhttp.HandlerFor(registry, promhttp.HandlerOpts{Timeout: probeTimeout})))
	if l.ProfileToken != "" && identity.Loopback(l.Addr) {
		mux.Handle("/debug/pprof/", local(profiles(l.ProfileToken)))
	}
	if l.Rest != nil {
		mux.Handle("/", l.Rest)
	}
	return &Server{addr: listener.Addr().String(), Listener: listener, Handler: mux, tls: l.Tls}, nil
}

// run answers requests until ctx is done. It then gives open requests some seconds to end.
//
// Errors: the listener failed.
func (s *Server) run(ctx context.Context) error {
	if err := web.Serve(ctx, s.Listener, s.Handler, s.tls, nil); err != nil {
		return fmt.Errorf("%s: %w", s.addr, err)
	}
	return nil
}

// ServeWhile calls do, and answers requests at an address until do returns. An empty address
// means no server. An error of either ends the other.
func ServeWhile(ctx context.Context, l Config, con *console.Console, do func(context.Context) error, metrics ...prometheus.Collector) error {
	if l.Addr == "" {
		return do(ctx)
	}
	if identity.Loopback(l.Addr) {
		var err error
		if l.ProfileToken, err = localtoken.Keep(); err != nil {
			con.Say("profiles are not served: %v", err)
		}
	}
	srv, err := New(l, metrics...)
	if err != nil {
		return err
	}
	scheme := "http"
	if l.Tls != nil {
		scheme = "https"
	}
	con.Say("health and metrics at %s://%s", scheme, srv.addr)
	if l.Rest != nil {
		Announce(con, "the portal at", scheme+"://"+srv.addr, l.LocalToken)
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
