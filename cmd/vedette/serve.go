package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/record/recordmetrics"
	"github.com/vedette-io/vedette/record/sqldb"
)

// server answers /healthz, /readyz and /metrics over HTTP. No answer contains data of
// objects.
type server struct {
	addr     string
	listener net.Listener
	http     *http.Server
}

// serving is the state that the server shows: the database and the recorders, once they
// exist. Any goroutine may use it.
type serving struct {
	mu        sync.Mutex
	d         *sqldb.DB
	recorders []*record.Recorder
}

func (s *serving) set(d *sqldb.DB, recorders []*record.Recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.d, s.recorders = d, recorders
}

// health returns the health of all recorders.
func (s *serving) health() (all []record.Health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.recorders {
		all = append(all, r.Health())
	}
	return all
}

// ready returns an error for each thing that is not ready.
func (s *serving) ready(ctx context.Context) error {
	s.mu.Lock()
	d := s.d
	s.mu.Unlock()
	if d == nil {
		return errors.New("the recorder is starting: it checks the clusters and the database")
	}
	_, err := d.Clock(ctx)
	errs := []error{err}
	for _, h := range s.health() {
		for _, t := range h.Targets {
			why := cmp.Or(t.Err, t.Failed, t.Reflector.Err)
			switch {
			case t.Ready:
			case why != nil:
				errs = append(errs, fmt.Errorf("%s of %s: %w", scope{Target: t.Target}, h.Cluster, why))
			default:
				errs = append(errs, fmt.Errorf("%s of %s: the first list has not been written yet", scope{Target: t.Target}, h.Cluster))
			}
		}
	}
	return errors.Join(errs...)
}

// probeTimeout bounds a probe or a scrape.
const probeTimeout = 5 * time.Second

// newServer opens the listener; run answers requests.
//
// Errors: the address cannot be used.
func newServer(addr string, s *serving) (*server, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		recordmetrics.New(s.health), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
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
		if err := s.ready(ctx); err != nil {
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
