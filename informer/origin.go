package informer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// identified is an optional interface of a Source that can identify the cluster that
// answers. It returns an answer that was requested after since. kube.Source implements
// it.
type identified interface {
	Identity(ctx context.Context, since time.Time) (string, error)
}

// origin identifies the cluster that the versions of a place come from. A watch resumes
// only if the same cluster still answers.
type origin struct {
	logger *slog.Logger

	mu      sync.Mutex
	uid     string    // empty if unknown
	file    bool      // uid comes from a file and is not verified yet
	doubt   time.Time // since when another cluster may answer
	checked time.Time // up to when the identity is verified
	epoch   int64     // how often the cluster was found to be another
	why     error     // why it was the last time
	asking  bool
	told    bool // the log says that the identity is unknown
}

// restore records that the versions come from a file.
func (o *origin) restore(uid string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file && o.uid != uid {
		uid = "" // the scopes disagree, so the origin is unknown
	}
	o.uid, o.file, o.doubt = uid, true, time.Now()
}

// doubts records a lost connection: the cluster may have been rebuilt meanwhile.
func (o *origin) doubts() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.doubt = time.Now()
}

func (o *origin) known() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.uid
}

// times returns how often the cluster was found to be another.
func (o *origin) times() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.epoch
}

// learn asks once which cluster answers now.
func (o *origin) learn(ctx context.Context, src reflector.Source) {
	asks, ok := src.(identified)
	o.mu.Lock()
	if !ok || o.asking || o.uid != "" || o.told {
		o.mu.Unlock()
		return
	}
	o.asking = true
	o.mu.Unlock()
	uid, err := asks.Identity(ctx, time.Time{})
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.asking = false; err == nil && o.uid == "" && !o.file {
		o.uid = uid
	}
}

// check returns nil if the versions still belong to the cluster that answers. It also
// returns how often they did not until now. If this is in doubt, check asks the server.
//
// Errors: that of a server that cannot be reached; the cause of ctx.
func (o *origin) check(ctx context.Context, src reflector.Source) (epoch int64, why, err error) {
	o.mu.Lock()
	since, sure := o.doubt, !o.file && !o.doubt.After(o.checked)
	epoch, why = o.epoch, o.why
	o.mu.Unlock()
	if sure {
		return epoch, why, nil
	}
	uid, err := "", errors.New("the source does not tell of which cluster it is")
	asks, ok := src.(identified)
	if ok {
		uid, err = asks.Identity(ctx, since)
	}
	if ok && err != nil && !unreadable(err) || ctx.Err() != nil {
		o.doubts() // the next check needs a new answer
		return 0, nil, cmp.Or(err, context.Cause(ctx))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.found(uid, err)
	o.checked, o.file = since, false
	return o.epoch, o.why, nil
}

// found records which cluster answers, or why that is unknown.
func (o *origin) found(uid string, err error) {
	switch {
	case err != nil && o.file:
		o.replaced(fmt.Errorf("%w: whether the cluster is that of the snapshot file is not known, so everything is listed and compared: %w", reflector.ErrReplaced, err))
	case err != nil && !o.told && o.logger != nil:
		o.told = true
		o.logger.Info("a cluster that is rebuilt behind the same address would not be noticed", "err", err)
	case err != nil:
	case o.uid == "" && o.file:
		o.replaced(fmt.Errorf("%w: the snapshot file does not say of which cluster it is, so everything is listed and compared", reflector.ErrReplaced))
		o.uid = uid
	case o.uid == "":
		o.uid = uid
	case o.uid != uid:
		o.replaced(fmt.Errorf("%w: the UID of the namespace kube-system is %s and was %s, so everything is listed and compared", reflector.ErrReplaced, uid, o.uid))
		o.uid = uid
	}
}

func (o *origin) replaced(why error) {
	o.epoch, o.why = o.epoch+1, why
	o.logger.Warn("listing from scratch", "err", why)
}

// unreadable reports whether an error means that the identity of a cluster is not
// available, though the server may answer other requests.
func unreadable(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || errors.Is(err, context.DeadlineExceeded)
}

// guard is the Source of a member. It lets a watch resume only at the cluster that the
// version comes from.
type guard struct {
	reflector.Source
	origin *origin
	ask    func(func(context.Context)) // starts a goroutine of the engine
	epoch  atomic.Int64                // epoch of the origin when the member was last listed
}

// Watch implements reflector.Source.
func (g *guard) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	if opts.SendInitialEvents == nil {
		epoch, why, err := g.origin.check(ctx, g.Source)
		if err != nil {
			return wire.Stream{}, err
		}
		if g.epoch.Swap(epoch) != epoch {
			return wire.Stream{}, why
		}
	}
	stream, err := g.Source.Watch(ctx, opts)
	return g.opened(stream, err)
}

// List implements reflector.Source.
func (g *guard) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	stream, err := g.Source.List(ctx, opts)
	return g.opened(stream, err)
}

func (g *guard) opened(stream wire.Stream, err error) (wire.Stream, error) {
	if err != nil {
		g.origin.doubts()
		return stream, err
	}
	if g.origin.known() == "" {
		g.ask(func(ctx context.Context) { g.origin.learn(ctx, g.Source) })
	}
	stream.Body = &doubtful{stream.Body, g.origin}
	return stream, nil
}

// Recovered implements reflector.Recoverer.
func (g *guard) Recovered() <-chan struct{} {
	if r, ok := g.Source.(reflector.Recoverer); ok {
		return r.Recovered()
	}
	return nil
}

// Ordered implements reflector.Orderer.
func (g *guard) Ordered(ctx context.Context) (ordered, known bool) {
	if o, ok := g.Source.(reflector.Orderer); ok {
		return o.Ordered(ctx)
	}
	return false, false
}

// String returns the name of the source, for messages.
func (g *guard) String() string {
	if named, ok := g.Source.(fmt.Stringer); ok {
		return named.String()
	}
	return "the server"
}

// doubtful is the body of a stream. If it ends early, the origin is in doubt.
type doubtful struct {
	io.ReadCloser
	origin *origin
}

func (d *doubtful) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		d.origin.doubts()
	}
	return n, err
}
