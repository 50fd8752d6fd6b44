package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/spool"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/reflector/clusterid"
	"github.com/vedette-io/vedette/wire"
)

// targetRecorder records one target of one cluster.
type targetRecorder struct {
	cfg     *Config
	db      *sqldb.DB
	redact  []observe.FieldPath
	budget  *spool.Budget
	feed    *feed.Sequencer
	report  *reporter
	faults  *targetReporter
	health  *targetHealth
	target  Target
	cluster identifiedCluster
	lease   *shard.Lease // nil: the target is not shared
	beats   *heartbeat

	resource  kube.Resource // the type, in the version in which it is recorded
	again     bool          // that version is new, so the type is listed
	writer    *writer
	decoder   *decoder
	reflector *reflector.Reflector // nil until open has run
	spool     *spool.Spool         // nil: the spill is disabled
	resume    wire.Version         // version at which the reflector begins
	base      wire.Version         // base of the versions of this reflector
	restored  bool                 // the server has lost versions of that base
	tried     []wire.Version       // begins of gaps that this server was already asked for
	begun     atomic.Int64         // number of lasting gaps that the monitor has begun
	progress  progress
	beside    func(func(context.Context)) // runs a function beside the reflector
}

// errClusterReplaced is returned by run if a different cluster answers.
var errClusterReplaced = errors.New("the cluster was replaced")

// keyframeBytes is the maximum size of the cached keyframes of a target.
const keyframeBytes = 16 << 20

// maxGaps is the maximum number of open gaps that a recorder tries to fill. A server keeps
// events for minutes, so it no longer has earlier ones.
const maxGaps = 4

// open finds the type on the server, and loads the scope from the database.
//
// Errors: the server does not serve the type; the server or the database did not answer.
func (t *targetRecorder) open(ctx context.Context) error {
	resource, scope, err := t.resolve(ctx)
	if err != nil {
		return err
	}
	deleted, err := newDeletionCheck(t.cfg.Cluster, t.target)
	if err != nil {
		return err
	}
	t.resource = resource
	t.writer = &writer{
		db: t.db, scope: scope, recorder: t.cfg.Name,
		planner: planner{projection: observe.NewProjection(resource, t.cfg.State, t.redact), deleted: deleted},
		encoder: bodies.NewEncoder(scope.Resource, keyframeBytes),
		lease:   t.lease,
		log:     t.report.log().With("resource", resource.String()), fault: t.faults.write, health: t.health, begun: &t.begun, feed: t.feed,
	}
	if err := t.openSpool(resource); err != nil {
		return err
	}
	if t.spool != nil && !t.spool.Empty() {
		if err := t.writer.load(ctx); err != nil {
			return err
		}
		if err := writeLeftovers(ctx, t.writer, t.spool); err != nil {
			return err
		}
	}
	return t.prepare(ctx)
}

// resolve finds the type on the server, and returns it with the scope of the target.
//
// Errors: the server does not serve the type; the server or the database did not answer.
func (t *targetRecorder) resolve(ctx context.Context) (resource kube.Resource, scope model.Scope, err error) {
	resolving, cancel := context.WithTimeout(ctx, sqldb.Timeout)
	defer cancel()
	if resource, err = t.cfg.Cluster.Resolve(resolving, t.target.Type); err != nil {
		return resource, scope, err
	}
	scope = model.Scope{Cluster: t.cluster.id, Namespace: t.target.Namespace, Selectors: t.target.selectorHash(), UIDs: t.target.UIDs}
	if scope.Resource, err = t.ensureResource(ctx, resource); err == nil {
		t.beats.follow(scope, t.observed)
	}
	return resource, scope, err
}

// ensureResource returns the row ID of a type, and inserts the row if necessary.
func (t *targetRecorder) ensureResource(ctx context.Context, r kube.Resource) (id int64, err error) {
	ctx, done := t.db.Bounded(ctx)
	defer done()
	err = t.db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		id, err = model.EnsureResource(ctx, tx, model.Type{Group: r.Group, Resource: r.Name, Kind: r.Kind})
		return err
	})
	return id, err
}

// openSpool opens the spool if the spill is enabled.
func (t *targetRecorder) openSpool(resource kube.Resource) (err error) {
	if t.cfg.Spill.Dir == "" || t.spool != nil {
		return nil
	}
	t.spool, err = spool.Open(t.cfg.Spill.Dir, spoolName(resource, t.cluster.uid, t.db.String(), t.cfg.Name, &t.target), t.budget)
	return err
}

// prepare creates a reflector that begins at the resume point, or at the beginning of an
// earlier open gap if the server may still have its events.
func (t *targetRecorder) prepare(ctx context.Context) error {
	if err := t.writer.load(ctx); err != nil {
		return err
	}
	tracker, known := t.writer.planner.tracker, t.base
	t.base = tracker.base
	if t.restored && t.base == known { // otherwise another recorder has listed since
		t.base = model.ResumePoint{Version: tracker.end}.Restored()
		t.again = true
	}
	t.restored = false
	if t.again { // the server may show other content at the versions that are stored
		t.again = false
		return t.connect(0, false)
	}
	from, at, err := t.openGap(ctx)
	if err != nil {
		return err
	}
	if from == 0 {
		return t.connect(tracker.end, false)
	}
	t.tried = append(t.tried, from)
	tracker.end, tracker.endAt, tracker.reached = from, at, from
	return t.connect(from, true)
}

// openGap returns the version at which the earliest of the last open gaps begins that the server
// may still fill. It skips gaps that were tried, and returns 0 if no gap remains.
func (t *targetRecorder) openGap(ctx context.Context) (from wire.Version, at time.Time, err error) {
	ctx, done := t.db.Bounded(ctx)
	defer done()
	tracker := t.writer.planner.tracker
	err = model.UnhealedGaps(ctx, t.db, t.writer.scope, tracker.base, tracker.end, maxGaps, func(version wire.Version, begun time.Time) {
		if !slices.Contains(t.tried, version) && (from == 0 || version < from) {
			from, at = version, begun
		}
	})
	return from, at, err
}

// connect creates the reflector. A reflector that fills a gap never lists.
func (t *targetRecorder) connect(resume wire.Version, gap bool) error {
	target, err := kube.Named(t.target.Type)
	if err != nil {
		return err
	}
	served := servedType{t.cfg.Cluster.Source(target, t.target.selection()), t.resource.APIVersion(), t.resource.Kind}
	source := clusterid.NewGuard(t.cluster.identity, served, func(f func(context.Context)) { t.beside(f) })
	cfg := t.cfg.Reflector
	cfg.Lists = reflector.EndIfRestored
	if t.resume = resume; resume > 0 {
		cfg.Resume = resume - t.base
	}
	if gap {
		cfg.Lists = reflector.NeverList
	}
	decoder := newDecoder(t.writer.planner.projection, t.writer.encoder, t.writer.planner.covered, t.base)
	r, err := reflector.New(source, decoder, cfg)
	if err != nil {
		return err
	}
	t.decoder, t.reflector = decoder, r
	t.progress.start(decoder.queue)
	spool := t.spool
	t.health.watch(func(h *TargetHealth) {
		h.Reflector, _ = r.Health()
		h.Queued, h.QueuedBytes = decoder.queue.Len()
		h.resumed = resume > 0 && t.idle()
		if spool != nil {
			h.Spilled = spool.Bytes()
		}
	})
	return nil
}

// run records until ctx ends, and then writes the deltas that it has received. It waits for
// a type that the server does not serve.
//
// Errors: errClusterReplaced.
func (t *targetRecorder) run(ctx context.Context) error {
	defer t.end()
	failures := 0 // consecutive
	for ctx.Err() == nil {
		if t.reflector == nil && !t.reopen(ctx, &failures) {
			return nil
		}
		began := time.Now()
		err := t.recordOnce(ctx)
		if time.Since(began) > t.cfg.retryDelay(failures) {
			failures = 0
		}
		t.reflector = nil
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, shard.ErrLost) {
			return nil
		}
		if errors.Is(err, errClusterReplaced) {
			return err
		}
		if errors.Is(err, reflector.ErrListNeeded) {
			if err = t.prepare(ctx); err == nil {
				continue
			}
			t.reflector = nil
		}
		if errors.Is(err, reflector.ErrRestored) {
			t.restored = true
			t.writer.log.Warn("the server was restored from a backup, and the type is listed again; versions of the history are larger than those of the server from now on", "err", err)
			continue
		}
		if errors.Is(err, errTypeReplaced) {
			t.again = true
			t.writer.log.Info("the type is listed again", "err", err)
			continue
		}
		if errors.Is(err, errOpaque) {
			t.health.notStarted(err)
			t.faults.start.See(faultlog.State{Kind: "versions", Err: err})
			continue
		}
		t.writer.log.Error("restarting at the resume point", "err", err)
	}
	return nil
}

// reopen retries open until it succeeds, and counts its attempts. It returns false if ctx
// ends first.
func (t *targetRecorder) reopen(ctx context.Context, attempts *int) bool {
	for pause.For(ctx, t.cfg.retryDelay(*attempts)) == nil {
		*attempts++
		err := t.report.ask(ctx, t.faults.start, func() error { return t.open(ctx) })
		t.health.notStarted(err)
		if err == nil || ctx.Err() != nil {
			return err == nil
		}
	}
	return false
}

// recordOnce runs the reflector, the monitor and the writer.
//
// Errors: errClusterReplaced; errTypeReplaced; reflector.ErrListNeeded; reflector.ErrRestored;
// those of drain.
func (t *targetRecorder) recordOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := monitor{
		db: t.db, scope: t.writer.scope, recorder: t.cfg.Name, lease: t.lease, feed: t.feed, reflector: t.reflector, interval: t.cfg.MonitorInterval, resume: t.resume, base: t.base,
		caughtUp: t.idle, begun: &t.begun, log: t.writer.log, fault: t.faults.follow, health: t.health,
	}
	var work sync.WaitGroup
	var ended error
	t.beside = func(f func(context.Context)) { work.Go(func() { f(ctx) }) }
	work.Go(func() {
		if ended = t.reflector.Run(ctx); errors.Is(ended, reflector.ErrSourceEnded) {
			cancel() // the other goroutines end as well
		}
		t.decoder.queue.Close()
	})
	work.Go(func() { m.run(ctx) })
	err := t.drain(ctx)
	cancel()
	work.Wait()
	switch {
	case errors.Is(ended, errTypeReplaced):
		return ended
	case errors.Is(ended, reflector.ErrSourceEnded):
		return fmt.Errorf("%w: %w", errClusterReplaced, ended)
	case err != nil:
		return err
	}
	return ended
}

// observed returns the progress of the target. Any goroutine may call it.
func (t *targetRecorder) observed() observed {
	h := t.health.get()
	return observed{follows: h.caughtUp(time.Now()), committed: t.progress.until(), heard: h.Reflector.LastEvent}
}

// idle reports whether all received deltas are written.
func (t *targetRecorder) idle() bool { return t.progress.idle() }

// drainTimeout limits the time to write the received deltas after ctx has ended.
const drainTimeout = 5 * time.Second

// drain writes until the queue is closed and empty.
//
// Errors: the spool is damaged; ctx ended and the database did not answer. Unwritten deltas
// remain in the spool or on the server.
func (t *targetRecorder) drain(ctx context.Context) error {
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(drainTimeout, func() { cancel(context.Cause(ctx)) })
	})
	defer stop()
	write := func(items []item) error { return t.writer.write(lasting, items, 0) }
	if t.spool != nil {
		s := newSpiller(t.writer, t.spool, t.decoder.queue, &t.cfg.Spill)
		write = func(items []item) error { return s.write(lasting, items) }
	}
	for {
		items, err := t.decoder.queue.Get(lasting) // the reflector's goroutine closes the queue
		if errors.Is(err, delta.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		t.progress.began()
		if err := write(items); err != nil {
			return err
		}
		t.progress.wrote()
	}
}

// end closes the spool. Its batches remain on disk.
func (t *targetRecorder) end() {
	t.faults.stop()
	if t.spool == nil {
		return
	}
	if err := t.spool.Close(); err != nil {
		t.writer.log.Error("cannot close the spill file", "err", err)
	}
}
