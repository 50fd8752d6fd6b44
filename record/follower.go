package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// follower follows one target of one cluster, and writes what comes.
type follower struct {
	collection
	r         *Recorder
	faults    *targetLog
	target    Target
	cluster   cluster
	queue     *decoder
	reflector *reflector.Reflector
	spool     *spool         // nil: nothing is spilled
	resume    wire.Version   // where the reflector has begun
	tried     []wire.Version // where gaps begin that this server has forgotten
	holes     atomic.Int64   // gaps that attend has begun
	writing   atomic.Bool
}

// What waits in the queue is written in one transaction, and this is the most that may:
// what a commit costs is shared by many, and no transaction is long.
const (
	batchDeltas = 1000
	batchBytes  = 4 << 20
)

// wholeBytes bounds the bodies, packed, that are kept in memory for each target.
const wholeBytes = 16 << 20

// open finds the type on the server, and reads what the database knows of it.
//
// Errors: the server or the database does not answer; the type is not there.
func (f *follower) open(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, sqldb.Timeout)
	resource, err := f.r.cfg.Cluster.Resolve(asking, f.target.Type)
	cancel()
	if err != nil {
		return err
	}
	id, err := f.r.d.numberOf(ctx, "resources", []string{"api_group", "name"}, []any{resource.Group, resource.Name}, []string{"kind"}, []any{resource.Kind})
	if err != nil {
		return err
	}
	fate, err := fateOf(f.r.cfg.Cluster, f.target)
	if err != nil {
		return err
	}
	f.collection = collection{
		d: f.r.d, recorder: f.r.cfg.Name, lens: newLens(resource, f.r.cfg.State, f.r.redact), fate: fate, packer: newPacker(wholeBytes),
		log: f.r.log().With("resource", resource.String()), stuck: f.faults.write, health: f.health, lost: &f.holes,
		place: place{f.cluster.id, id, f.target.Namespace, selectorHash(f.target)},
	}
	if err := f.openSpool(resource); err != nil {
		return err
	}
	if f.spool != nil && !f.spool.empty() {
		if err := f.load(ctx); err != nil {
			return err
		}
		if err := f.writeLeftovers(ctx); err != nil {
			return err
		}
	}
	return f.start(ctx)
}

// start makes a reflector that begins where the database is; or before it, where a gap
// begins that this server may still remember, and others did not.
func (f *follower) start(ctx context.Context) error {
	if err := f.load(ctx); err != nil {
		return err
	}
	from, at, err := f.d.missed(ctx, f.place, f.ended, f.tried)
	if err != nil {
		return err
	}
	if from == 0 {
		return f.connect(f.ended, false)
	}
	f.tried = append(f.tried, from)
	f.ended, f.endedAt, f.reached = from, at, from
	return f.connect(from, true)
}

// connect makes the reflector. That of a gap never lists.
func (f *follower) connect(resume wire.Version, gap bool) (err error) {
	target, err := kube.Named(f.target.Type)
	if err != nil {
		return err
	}
	source := &guarded{f.r.cfg.Cluster.Source(target, f.target.selection()), f.cluster.same}
	cfg := f.r.cfg.Reflector
	cfg.Resume, cfg.NeverList, f.resume = resume, gap, resume
	f.queue = newDecoder(delta.Limits{Deltas: batchDeltas, Bytes: batchBytes}, f.lens, f.before)
	if f.reflector, err = reflector.New(source, f.queue, cfg); err != nil {
		return err
	}
	f.health.watch(f.reflector, f.queue.queue, f.spool)
	return nil
}

func (f *follower) openSpool(resource kube.Resource) (err error) {
	if f.r.cfg.Spill.Dir == "" || f.spool != nil {
		return nil
	}
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, f.cluster.uid, "\x00", f.r.d, "\x00", f.r.cfg.Name, "\x00", f.target) // it can not fail
	f.spool, err = openSpool(f.r.cfg.Spill.Dir, fmt.Sprintf("%s-%016x", resource, h.Sum64()), &f.r.budget)
	return err
}

func selectorHash(t Target) int64 {
	if t.LabelSelector == "" && t.FieldSelector == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.LabelSelector + "\x00" + t.FieldSelector)) // it can not fail
	return int64(h.Sum64())
}

// run follows the server until ctx is done, and then writes what has come. A type that
// is not there is waited for.
func (f *follower) run(ctx context.Context) {
	defer f.end()
	failed := 0 // consecutive failures
	for ctx.Err() == nil {
		if f.reflector == nil {
			if !f.reopen(ctx, &failed) {
				return
			}
		}
		began := time.Now()
		err := f.follow(ctx)
		if time.Since(began) > f.r.retry(failed) {
			failed = 0
		}
		f.reflector = nil
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, reflector.ErrListNeeded) {
			if err = f.start(ctx); err == nil {
				continue
			}
			f.reflector = nil
		}
		f.log.Error("begins anew where the database is", "err", err)
	}
}

// end closes the spool; what waits stays in it.
func (f *follower) end() {
	f.faults.stop()
	if f.spool == nil {
		return
	}
	if err := f.spool.close(); err != nil {
		f.log.Error("spill", "err", err)
	}
}

// reopen retries open until it succeeds; it returns false when ctx is done. It counts
// its tries.
func (f *follower) reopen(ctx context.Context, tries *int) bool {
	for sleep(ctx, f.r.retry(*tries)) {
		*tries++
		err := f.r.ask(ctx, f.faults.begin, func() error { return f.open(ctx) })
		f.health.set(func(t *TargetHealth) { t.Err = err })
		if err == nil || ctx.Err() != nil {
			return err == nil
		}
	}
	return false
}

// follow runs the reflector, and writes.
//
// Errors: what waits on the disk is damaged; reflector.ErrListNeeded.
func (f *follower) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	var ended error
	work.Go(func() {
		ended = f.reflector.Run(ctx)
		f.queue.queue.Close()
	})
	work.Go(func() { f.attend(ctx) })
	err := f.drain(ctx)
	cancel()
	work.Wait()
	return cmp.Or(err, ended)
}

// lastPatience is how long what was received is tried to be written once the
// recorder is to stop.
const lastPatience = 5 * time.Second

// drain writes what comes until the queue is closed and empty.
//
// Errors: what waits on the disk is damaged; it is to stop, and the database does not
// answer. What is missing comes again, from the server or the disk.
func (f *follower) drain(ctx context.Context) error {
	patient, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(lastPatience, func() { cancel(context.Cause(ctx)) })
	})
	defer stop()
	listing := false
	for {
		some, err := f.queue.queue.Get(patient) // until it is closed, which the reflector sees to
		if errors.Is(err, delta.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		f.writing.Store(true)
		if f.spool == nil {
			err = f.write(patient, some, 0)
		} else {
			listing, err = f.take(patient, some, listing)
		}
		f.writing.Store(false)
		if err != nil {
			return err
		}
	}
}
