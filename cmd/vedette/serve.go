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
)

// server answers /healthz, /readyz and /metrics over HTTP. None of them shows data of
// objects.
type server struct {
	addr     string
	listener net.Listener
	http     *http.Server
}

// serving is what the server tells: of recorders, as soon as there are some. Any goroutine
// may use it.
type serving struct {
	mu        sync.Mutex
	d         *record.Database
	recorders []*record.Recorder
}

func (s *serving) set(d *record.Database, recorders []*record.Recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.d, s.recorders = d, recorders
}

// health returns that of all recorders.
func (s *serving) health() (all []record.Health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.recorders {
		all = append(all, r.Health())
	}
	return all
}

// ready says what is not, or nil.
func (s *serving) ready(ctx context.Context) error {
	s.mu.Lock()
	d := s.d
	s.mu.Unlock()
	if d == nil {
		return errors.New("it is starting: clusters and the database are being looked at")
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
				errs = append(errs, fmt.Errorf("%s of %s: the first list is not written yet", scope{Target: t.Target}, h.Cluster))
			}
		}
	}
	return errors.Join(errs...)
}

// patience bounds what a probe or a scrape may take.
const patience = 5 * time.Second

// newServer listens; run answers.
//
// Errors: the address can not be listened on.
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
		return nil, fmt.Errorf("--listen %s: %w; name one that is free, as HOST:PORT, such as 127.0.0.1:8080", addr, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }) // who asked may have gone
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
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
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Timeout: patience}))
	return &server{
		addr: listener.Addr().String(), listener: listener,
		http: &http.Server{Handler: mux, ReadHeaderTimeout: patience, ReadTimeout: patience, WriteTimeout: 3 * patience, IdleTimeout: time.Minute},
	}, nil
}

// run answers until ctx is done, and lets what is being answered end.
//
// Errors: it can not answer any more.
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
		_ = s.http.Close() // what did not end in time is cut
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
