package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// driver performs the actions of the machine. It holds at most one open body.
type driver struct {
	src       Source
	cfg       *Config
	body      *body
	skipped   uint64          // see Health
	listed    wire.ListMeta   // of the last list; the text of an opaque version is only here
	recovered <-chan struct{} // closed when another request to the server has recovered since the last request
	// overdue is called, on its own goroutine, when an answer takes longer than
	// Config.SlowAnswer. It must reset awaiting, because the answer may have come by
	// then.
	overdue  func()
	awaiting atomic.Bool // an answer is awaited, and has not been reported as overdue
}

// errOpaque is the fault of a watch from an opaque version whose text is not known.
var errOpaque error = apierrors.NewResourceExpired("the server's resourceVersions are not integers, and no list has the one from which the watch continues")

// body is the open answer to a request.
type body struct {
	stream   wire.Stream
	ctx      context.Context // its cause is the reason of a canceled read
	end      context.CancelCauseFunc
	idle     *time.Timer   // ends the body after silence
	bound    time.Duration // limit for the next record
	left     time.Duration // the rest of bound
	response responseTimer // not used for an open watch
	list     *wire.ListReader
	watch    *wire.WatchReader
	passed   int64 // objects outside of the UID range when left was last set
	opened   time.Time
	waited   time.Duration // time in which the reflector waited for the server
}

// do performs one action and writes its result to in.
func (d *driver) do(ctx context.Context, a action, in *input) {
	*in = input{}
	switch a.kind {
	case doWait:
		d.close()
		in.kind, in.early = inElapsed, d.wait(ctx, a)
	case doRead:
		d.body.bound, d.body.left, d.body.response.late = a.wait, a.wait, a.late
		before := d.body.skipped()
		d.body.read(in)
		if in.kind == inPageEnd {
			d.listed = in.meta
		}
		d.skipped += uint64(d.body.skipped() - before)
	default:
		d.close()
		began := time.Now()
		if a.version.Opaque() && a.version != d.listed.Version {
			in.kind, in.err = inFailed, errOpaque
			return
		}
		if err := d.open(ctx, a); err != nil {
			in.kind, in.err, in.lasted = inFailed, err, time.Since(began)
			return
		}
		in.kind, in.order = inOpened, d.order(ctx)
		in.lasted, in.waited = time.Since(d.body.opened), d.body.waited
	}
}

// wait waits, and reports whether it ended early because another request to the server
// has recovered.
func (d *driver) wait(ctx context.Context, a action) (early bool) {
	full := time.NewTimer(a.wait)
	defer full.Stop()
	var news <-chan struct{}
	if a.early > 0 {
		news = d.recovered
	}
	began := time.Now()
	select {
	case <-full.C:
		return false
	case <-ctx.Done():
		return false
	case <-news:
	}
	rest := max(a.early-time.Since(began), 0) + rand.N(d.cfg.MinBackoff/4+1) // so that siblings do not retry at the same time
	soon := time.NewTimer(rest)
	defer soon.Stop()
	select {
	case <-full.C:
		return false
	case <-ctx.Done():
	case <-soon.C:
	}
	return true
}

func (d *driver) close() {
	if d.body == nil {
		return
	}
	d.body.idle.Stop()
	d.body.end(context.Canceled)
	d.body.closeStream()
	d.body = nil
}

// responseTimer is an answer, or a part of one, that the server still has to send.
type responseTimer struct {
	driver *driver
	late   time.Duration // when it is overdue; 0: never
	timer  *time.Timer
}

// begin starts the wait for the answer.
func (a *responseTimer) begin() {
	switch {
	case a.late == 0:
		return
	case a.timer == nil:
		a.timer = time.AfterFunc(a.late, a.driver.overdue)
	default:
		a.timer.Reset(a.late)
	}
	a.driver.awaiting.Store(true)
}

// spend subtracts the time of one read from the time for a record: single bytes do not
// count as an answer. A record whose time is used up is reported in the next read.
func (a *responseTimer) spend(d time.Duration) {
	if a.late > 0 {
		a.late = max(a.late-d, 1)
	}
}

// end records that the answer has come, or that nobody waits for it any longer. An
// answer is reported as overdue once.
func (a *responseTimer) end() {
	if a.late == 0 {
		return
	}
	a.timer.Stop()
	if reported := !a.driver.awaiting.Swap(false); reported {
		a.late = 0
	}
}

// open requests a list or a watch. Silence counts from the request on.
func (d *driver) open(ctx context.Context, a action) error {
	b := &body{bound: a.wait, left: a.wait, opened: time.Now(), response: responseTimer{driver: d, late: a.late}}
	b.ctx, b.end = context.WithCancelCause(ctx)
	b.idle = time.AfterFunc(b.bound, func() { b.end(errIdle) })
	b.response.begin()
	err := d.request(b, a)
	b.response.end()
	b.idle.Stop()
	b.waited = time.Since(b.opened)
	if err != nil {
		err = b.explain(err)
		b.end(context.Canceled)
		return err
	}
	opts := d.cfg.Wire
	opts.APIVersion, opts.Kind, opts.UIDs = b.stream.APIVersion, b.stream.Kind, b.stream.UIDs
	opts.Opaque = a.kind == doList || a.initial || a.version.Opaque() // other watches begin at an integer
	if a.kind == doList {
		b.list = wire.NewListReader(b, b.stream.Encoding, opts)
	} else {
		b.watch = wire.NewWatchReader(b, b.stream.Encoding, opts)
	}
	d.body = b
	return nil
}

// request asks the source for the stream of a body.
func (d *driver) request(b *body, a action) (err error) {
	defer recovered(&err)
	if r, ok := d.src.(Recoverer); ok {
		d.recovered = r.Recovered()
	}
	if a.kind == doList {
		b.stream, err = d.src.List(b.ctx, metav1.ListOptions{Limit: a.limit, Continue: a.token})
	} else {
		b.stream, err = d.src.Watch(b.ctx, d.watchOptions(a))
	}
	return err
}

func (d *driver) watchOptions(a action) metav1.ListOptions {
	least := int64(max(d.cfg.WatchTimeout/time.Second, 1))
	timeout := least + rand.Int64N(least+1)
	if a.short {
		timeout = min(least, int64(shortWatchTimeout/time.Second))
	}
	version := a.version.String()
	if a.version.Opaque() {
		version = d.listed.Opaque
	}
	opts := metav1.ListOptions{
		ResourceVersion:     version,
		AllowWatchBookmarks: true,
		TimeoutSeconds:      &timeout,
	}
	if a.initial {
		yes := true
		opts.SendInitialEvents = &yes
		opts.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	return opts
}

// Read reads the body and bounds the wait for the next record: a server that sends a
// byte now and then counts as silent. The clock runs only while the reader waits for
// the server, not while the server waits for the reader.
func (b *body) Read(p []byte) (int, error) {
	began := time.Now()
	if n := b.skipped(); n > b.passed { // a server that sends objects of other ranges is not silent
		b.passed, b.left = n, b.bound
	}
	b.idle.Reset(b.left)
	b.response.begin()
	n, err := b.readStream(p)
	b.response.end()
	b.idle.Stop()
	spent := time.Since(began)
	b.left -= spent
	b.waited += spent
	b.response.spend(spent)
	if err != nil && err != io.EOF {
		err = b.explain(err)
	}
	return n, err
}

// closeStream closes the stream, whose errors matter no longer.
func (b *body) closeStream() {
	var ignored error
	defer recovered(&ignored)
	_ = b.stream.Body.Close()
}

func (b *body) readStream(p []byte) (n int, err error) {
	defer recovered(&err)
	return b.stream.Body.Read(p)
}

// explain replaces the error of a request or a read that was canceled because of
// silence. It keeps ErrSourceEnded, which is final.
func (b *body) explain(err error) error {
	if context.Cause(b.ctx) == errIdle && !errors.Is(err, ErrSourceEnded) {
		return fmt.Errorf("%w (%v)", errIdle, b.bound)
	}
	return err
}

// read reads one record or event.
func (b *body) read(in *input) {
	if b.list != nil {
		in.rec, in.err = b.list.Next()
		if in.err == io.EOF {
			in.kind, in.meta, in.err = inPageEnd, b.list.Meta(), nil
			return
		}
		in.kind = inItem
	} else {
		in.event, in.err = b.watch.Next()
		in.kind, in.lasted, in.waited = inEvent, time.Since(b.opened), b.waited
	}
	if in.err == nil {
		return
	}
	var invalid *wire.InvalidError
	if in.kind = inBroken; errors.As(in.err, &invalid) {
		in.kind = inInvalid
	}
}

// skipped returns the number of objects outside of the UID range so far.
func (b *body) skipped() int64 {
	switch {
	case b.list != nil:
		return b.list.Skipped()
	case b.watch != nil:
		return b.watch.Skipped()
	}
	return 0
}

// order asks the source. A panic means that it does not know.
func (d *driver) order(ctx context.Context) (_ ordering) {
	var panicked error
	defer recovered(&panicked)
	o, ok := d.src.(Orderer)
	if !ok {
		return orderUnknown
	}
	switch ordered, known := o.Ordered(ctx); {
	case !known:
		return orderUnknown
	case ordered:
		return orderSure
	default:
		return orderNone
	}
}
