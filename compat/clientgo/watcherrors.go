package clientgo

import (
	"context"
	"errors"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"

	"github.com/vedette-io/vedette/compat/internal/hidden"
)

// reportingSource calls the watch error handler of an informer for each list or watch
// that fails, and once for each fault in a stream.
type reportingSource struct {
	reflector.Source
	report   cache.WatchErrorHandlerWithContext // nil if none was set
	pretend  *cache.Reflector                   // the argument of handlers; it never runs
	reported atomic.Pointer[error]              // the last error of a list or watch
}

func newReportingSource(src reflector.Source, p *stockParts) *reportingSource {
	s := &reportingSource{Source: src, report: p.watchErrors()}
	if s.report == nil {
		return s
	}
	description := ""
	hidden.Field(p.value, "objectDescription", &description)
	s.pretend = cache.NewReflectorWithOptions(p.lw, p.example, cache.NewStore(cache.MetaNamespaceKeyFunc), cache.ReflectorOptions{TypeDescription: description})
	return s
}

// List implements reflector.Source.
func (s *reportingSource) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	stream, err := s.Source.List(ctx, opts)
	s.failed(ctx, err)
	return stream, err
}

// Watch implements reflector.Source.
func (s *reportingSource) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	stream, err := s.Source.Watch(ctx, opts)
	s.failed(ctx, err)
	return stream, err
}

// Ordered implements reflector.Orderer.
func (s *reportingSource) Ordered(ctx context.Context) (ordered, known bool) {
	if o, ok := s.Source.(reflector.Orderer); ok {
		return o.Ordered(ctx)
	}
	return false, false
}

func (s *reportingSource) failed(ctx context.Context, err error) {
	if err != nil && s.report != nil && !errors.Is(err, context.Canceled) {
		s.reported.Store(&err)
		s.report(ctx, s.pretend, err)
	}
}

// follow reports the faults that a stream has after it was opened, until ctx is done.
func (s *reportingSource) follow(ctx context.Context, health func() (informer.Health, <-chan struct{})) {
	var told error
	for {
		h, changed := health()
		switch opening := s.reported.Load(); {
		case h.Err == nil:
			told = nil
		case opening != nil && errors.Is(h.Err, *opening):
		case told == nil || told.Error() != h.Err.Error():
			told = h.Err
			s.report(ctx, s.pretend, h.Err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// undecodable returns a function that reports objects that cannot be decoded.
func undecodable(opts *Options, name string) (see func(error), stop func()) {
	log := &faultlog.Reporter{
		Fault: "client-go adapter: an object is skipped that cannot be decoded or indexed", Logger: opts.logger, Attrs: []any{"resource", name},
	}
	return func(err error) { log.See(faultlog.State{Err: err}) }, log.Stop
}
