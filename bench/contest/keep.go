package contest

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Keeper writes every revision from the server into a database.
type Keeper interface {
	// Run follows the server until ctx is done.
	Run(ctx context.Context) error
	// Kept returns the number of committed revisions.
	Kept() int
}

// Keepers create the keepers, by contestant.
var Keepers = map[string]func(*sqldb.DB, string, *kube.Cluster, kube.Resource) (Keeper, error){
	"vedette": newRecorder, "rows": newRows, "floor": newFloorKeeper,
}

// Figures of keepers, in addition to those of events.
const (
	ListedPerSecond = "listed-per-second" // revisions of the first list per second
	ListedEach      = "listed-cpu"        // s of CPU per revision
	ServerEach      = "server-cpu"        // s of CPU of the database server, per event
	StoredEach      = "stored"            // B in the database, per event
	ListedStored    = "listed-stored"     // B in the database, per object of the first list
	HeapEach        = "heap-each"         // B live after the first list, per object
	FeedPerSecond   = "feed-per-second"   // transitions per second for a reader of the feed
	FeedEach        = "feed-cpu"          // s of CPU per transition
)

// doKeep writes the first list and then events into a database.
func doKeep(ctx context.Context, t *Task) (*Result, error) {
	d, base, err := t.database(ctx)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	k, err := t.keeper(d)
	if err != nil {
		return nil, err
	}
	mark, err := measure.Begin()
	if err != nil {
		return nil, err
	}
	stop := followKeeper(ctx, k)
	if err := kept(ctx, k, t.N); err != nil {
		return nil, err
	}
	f, err := mark.Times()
	if err != nil {
		return nil, err
	}
	if err := mark.Memory(f); err != nil {
		return nil, err
	}
	n := float64(t.N)
	f[ListedPerSecond], f[ListedEach], f[HeapEach] = n/f[measure.Wall], f[measure.CPU]/n, f[measure.Heap]/n
	listed, err := base.size(ctx)
	if err != nil {
		return nil, err
	}
	f[ListedStored] = float64(listed-base.empty) / n
	if t.Events > 0 {
		if err := t.keepEvents(ctx, k, base, listed, f); err != nil {
			return nil, err
		}
	}
	runtime.KeepAlive(k)
	if floor, ok := k.(*floorKeeper); ok {
		if f[ListedStored], f[StoredEach], err = floor.needed(); err != nil {
			return nil, err
		}
	}
	if err := readFeed(ctx, d, f); err != nil {
		return nil, err
	}
	return &Result{Figures: f}, stop()
}

// readFeed reads all transitions, if the keeper writes a feed.
func readFeed(ctx context.Context, d *sqldb.DB, f measure.Figures) error {
	if _, err := feed.Sequence(ctx, d); err != nil { // number the remaining transitions
		return err
	}
	mark, err := measure.Begin()
	if err != nil {
		return err
	}
	n := 0.0
	for _, err := range feed.Read(ctx, d, 0) {
		if err != nil {
			return err
		}
		n++
	}
	times, err := mark.Times()
	if err == nil && n > 0 {
		f[FeedPerSecond], f[FeedEach] = n/times[measure.Wall], times[measure.CPU]/n
	}
	return err
}

func (t *Task) keepEvents(ctx context.Context, k Keeper, base *vault, listed int64, f measure.Figures) error {
	mark, err := measure.Begin()
	if err != nil {
		return err
	}
	served := base.cpu()
	if _, err := control(ctx, t.URL, "start"); err != nil {
		return err
	}
	if err := kept(ctx, k, t.N+t.Events+1); err != nil { // and the event that ends the churn
		return err
	}
	times, err := mark.Times()
	if err != nil {
		return err
	}
	maps.Copy(f, times)
	rates(f, t)
	f[ServerEach] = (base.cpu() - served).Seconds() / float64(t.Events)
	now, err := base.size(ctx)
	f[StoredEach] = float64(now-listed) / float64(t.Events)
	return err
}

// keeper creates the keeper of a task.
func (t *Task) keeper(d *sqldb.DB) (Keeper, error) {
	open := Keepers[t.Contestant]
	if open == nil || len(t.Kinds) != 1 {
		return nil, fmt.Errorf("there is no keeper %q for %d kinds", t.Contestant, len(t.Kinds))
	}
	k, err := workload.Of(t.Kinds[0])
	if err != nil {
		return nil, err
	}
	env := Env{URL: t.URL, Encoding: workload.JSON}
	cluster, err := kube.Connect(kube.Config{REST: env.rest()})
	if err != nil {
		return nil, err
	}
	return open(d, t.Dir, cluster, resourceOf(k))
}

// kept waits until a number of revisions is committed.
func kept(ctx context.Context, k Keeper, n int) error {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if k.Kept() >= n {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("%d of %d revisions are kept: %w", k.Kept(), n, ctx.Err())
		}
	}
}

// followKeeper runs a keeper in the background until stop is called.
func followKeeper(ctx context.Context, k Keeper) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { failed <- k.Run(ctx) }()
	return func() error {
		cancel()
		return <-failed
	}
}

// recorder is our recorder.
type recorder struct{ *record.Recorder }

func newRecorder(d *sqldb.DB, _ string, cluster *kube.Cluster, r kube.Resource) (Keeper, error) {
	rec, err := record.New(d, record.Config{Cluster: cluster, Name: "bench", Targets: []record.Target{{Type: r.String()}}})
	return recorder{rec}, err
}

// Kept implements Keeper.
func (r recorder) Kept() int { return r.Health().Targets[0].Revisions }
