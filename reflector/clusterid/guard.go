package clusterid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// Guard is a Source that sends requests only to the cluster that its versions come from.
// Create it with NewGuard.
type Guard struct {
	source   reflector.Source
	identity *Identity
	start    func(func(context.Context))
	seen     atomic.Int64 // number of the last replacement that the reflector knows of
}

// NewGuard returns a guard of src, which is a source of the cluster of identity. If the
// identity is unknown when a request is granted, the guard learns it in the background:
// it calls start, which runs a function on a goroutine of the caller. A nil start
// disables that.
func NewGuard(identity *Identity, src reflector.Source, start func(func(context.Context))) *Guard {
	g := &Guard{source: src, identity: identity, start: start}
	last, _ := identity.outcome()
	g.seen.Store(last.number)
	return g
}

// Inherit records that the reflector of g takes over objects or a version of the
// reflector of another guard. If they are those of a cluster that was replaced since, the
// next watch of g does not resume.
func (g *Guard) Inherit(from *Guard) { g.seen.Store(min(g.seen.Load(), from.seen.Load())) }

// Watch implements reflector.Source.
//
// Errors: those of the source; an error that wraps reflector.ErrReplaced (Relist) or
// reflector.ErrSourceEnded (End); the error of a cluster that cannot be identified.
func (g *Guard) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	if err := g.admit(ctx, opts.SendInitialEvents == nil); err != nil {
		return wire.Stream{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stream, err := g.source.Watch(ctx, opts)
	if err != nil {
		cancel(nil)
	}
	return g.opened(stream, err, &body{ctx: ctx, watch: watch{cancel}})
}

// List implements reflector.Source.
//
// Errors: those of the source; with policy End also an error that wraps
// reflector.ErrSourceEnded, and the error of a cluster that cannot be identified.
func (g *Guard) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	if err := g.admit(ctx, false); err != nil {
		return wire.Stream{}, err
	}
	stream, err := g.source.List(ctx, opts)
	return g.opened(stream, err, &body{ctx: ctx, watch: watch{func(error) {}}})
}

// admit returns an error if a request must not be sent. resumes says that the request
// continues at a version.
func (g *Guard) admit(ctx context.Context, resumes bool) error {
	if g.identity.policy == Relist && !resumes {
		return nil
	}
	last, err := g.identity.verify(ctx)
	if err != nil {
		return err
	}
	if g.seen.Swap(last.number) != last.number {
		return last.err
	}
	return nil
}

func (g *Guard) opened(stream wire.Stream, err error, b *body) (wire.Stream, error) {
	if err != nil {
		g.identity.Invalidate()
		return stream, err
	}
	b.ReadCloser, b.identity = stream.Body, g.identity
	stream.Body = b
	switch {
	case g.start == nil:
	case g.identity.UID() == "":
		g.start(g.identity.Learn)
	case g.identity.unsettled(&b.watch):
		g.start(g.identity.Settle)
	}
	return stream, nil
}

// Recovered implements reflector.Recoverer.
func (g *Guard) Recovered() <-chan struct{} {
	if r, ok := g.source.(reflector.Recoverer); ok {
		return r.Recovered()
	}
	return nil
}

// Ordered implements reflector.Orderer.
func (g *Guard) Ordered(ctx context.Context) (ordered, known bool) {
	if o, ok := g.source.(reflector.Orderer); ok {
		return o.Ordered(ctx)
	}
	return false, false
}

// String returns the name of the source, for messages.
func (g *Guard) String() string {
	if named, ok := g.source.(fmt.Stringer); ok {
		return named.String()
	}
	return "the server"
}

// body is the body of a stream. If it ends early, another cluster may answer next.
type body struct {
	io.ReadCloser
	identity *Identity
	ctx      context.Context
	watch    watch
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if cause := context.Cause(b.ctx); errors.Is(cause, reflector.ErrReplaced) || errors.Is(cause, reflector.ErrSourceEnded) {
		return n, cause
	}
	b.identity.Invalidate()
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.identity.closed(&b.watch)
	b.watch.end(context.Canceled)
	return b.ReadCloser.Close()
}
