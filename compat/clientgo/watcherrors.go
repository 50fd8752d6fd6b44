package clientgo

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"

	"github.com/vedette-io/vedette/compat/internal/hidden"
)

// reportingSource calls the watch error handler of an informer as client-go does: once before each
// wait for the next attempt. An attempt may be several requests, so that their errors alone say
// nothing about it. It is also called for each fault in a stream.
type reportingSource struct {
	reflector.Source
	report  cache.WatchErrorHandlerWithContext // nil if none was set
	pretend *cache.Reflector                   // the argument of handlers; it never runs
	refused atomic.Pointer[error]              // the last error of a request for a list or watch
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
	s.failed(err)
	return stream, err
}

// Watch implements reflector.Source.
func (s *reportingSource) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	stream, err := s.Source.Watch(ctx, opts)
	s.failed(err)
	return stream, err
}

// Ordered implements reflector.Orderer.
func (s *reportingSource) Ordered(ctx context.Context) (ordered, known bool) {
	if o, ok := s.Source.(reflector.Orderer); ok {
		return o.Ordered(ctx)
	}
	return false, false
}

// failed keeps the error of a request.
func (s *reportingSource) failed(err error) {
	if err != nil && s.report != nil && !errors.Is(err, context.Canceled) {
		s.refused.Store(&err)
	}
}

// follow calls the handler until ctx is done. It returns no earlier than the handler.
func (s *reportingSource) follow(ctx context.Context, health func() (informer.Health, <-chan struct{})) {
	var told error
	var retry time.Time // of the last wait
	for ctx.Err() == nil {
		h, changed := health()
		opening := s.refused.Load()
		ofRequest := opening != nil && errors.Is(h.Err, *opening)
		switch {
		case h.Err == nil:
			told = nil
		case !h.Retry.IsZero() && !h.Retry.Equal(retry):
			retry, told = h.Retry, h.Err
			if ofRequest {
				s.report(ctx, s.pretend, *opening) // unwrapped: handlers compare it
			} else {
				s.report(ctx, s.pretend, h.Err)
			}
		case !ofRequest && (told == nil || told.Error() != h.Err.Error()):
			told = h.Err
			s.report(ctx, s.pretend, h.Err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
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
