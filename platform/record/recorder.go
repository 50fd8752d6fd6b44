package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/spool"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Recorder writes every revision of its targets to a database. Create it with New.
type Recorder struct {
	cfg    Config
	db     *sqldb.DB
	redact []observe.FieldPath
	report *reporter
	budget *spool.Budget
	feed   *feed.Sequencer
	health []*targetHealth

	mu       sync.Mutex
	uid      string // identity of the cluster
	replaced uint64
}

// New returns a recorder that writes to db. The schema must be current; see
// sqldb.DB.Migrate. The caller closes db after Run has returned.
//
// Errors: an invalid configuration.
func New(db *sqldb.DB, cfg Config) (*Recorder, error) {
	if db == nil {
		return nil, errors.New("record: the database is nil")
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Recorder{cfg: cfg, db: db, report: newReporter(&cfg)}
	r.budget, r.feed = spool.NewBudget(cfg.Spill.MaxBytes), feed.NewSequencer(db, r.report.log)
	for _, text := range cfg.Redact {
		p, err := observe.ParseFieldPath(text)
		if err != nil {
			return nil, fmt.Errorf("record: Config.Redact: %w", err)
		}
		r.redact = append(r.redact, p)
	}
	for _, t := range cfg.Targets {
		r.health = append(r.health, newTargetHealth(t))
	}
	return r, nil
}

// Health returns the current condition of the recorder. It is safe for concurrent use.
func (r *Recorder) Health() Health {
	r.mu.Lock()
	h := Health{Cluster: r.cfg.ClusterName, ClusterUID: r.uid, Replaced: r.replaced}
	r.mu.Unlock()
	for _, t := range r.health {
		h.Targets = append(h.Targets, t.get())
	}
	return h
}

// Run records until ctx ends, then writes the deltas that it has received, and returns nil.
// It blocks until all goroutines that it started have ended. Call it once.
//
// Errors: the cluster or the database did not answer at the start, and Config.Start is
// FailFast.
func (r *Recorder) Run(ctx context.Context) error {
	sequencing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var sequencer sync.WaitGroup
	sequencer.Go(func() { r.feed.Run(sequencing) })
	defer sequencer.Wait()
	defer stop() // after the last batch
	identifier := identifier{cfg: &r.cfg, db: r.db, report: r.report}
	for first := true; ; first = false {
		c, replaced, err := identifier.identify(ctx, !first || r.cfg.Start == Wait)
		if replaced {
			r.countReplaced()
		}
		if ctx.Err() != nil {
			return nil // a normal stop
		}
		if err != nil {
			return err
		}
		r.setUID(c.uid)
		err = r.recordCluster(ctx, c)
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, errClusterReplaced) {
			return err
		}
		r.countReplaced()
		r.report.log().Warn("recording starts from scratch", "cluster", r.cfg.ClusterName, "err", err)
	}
}

func (r *Recorder) setUID(uid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uid = uid
}

func (r *Recorder) countReplaced() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replaced++
}

// recordCluster records all targets of one cluster until ctx ends or a different cluster
// answers.
//
// Errors: a target could not be opened, and Config.Start is FailFast; errClusterReplaced.
func (r *Recorder) recordCluster(ctx context.Context, c identifiedCluster) error {
	ctx, cancel := context.WithCancel(ctx)
	beats := &heartbeat{
		db: r.db, cluster: c.id, recorder: r.cfg.Name, targets: len(r.cfg.Targets), scopes: map[model.Scope]*pulse{},
		fault: r.report.fault("cannot store a heartbeat, so readers take the records of this cluster for old", "storing heartbeats again"),
	}
	var beating sync.WaitGroup
	beating.Go(func() { beats.run(ctx) })
	beating.Go(func() {
		sweepParts(ctx, r.db, r.feed, r.report.fault("cannot look for the jobs of pods", "looking for the jobs of pods again"))
	})
	defer beating.Wait()
	defer cancel()
	if r.cfg.Shards != nil {
		s := sharer{cfg: &r.cfg, report: r.report, newTarget: func(i int) *targetRecorder { return r.newTarget(i, c, beats) }}
		return s.run(ctx)
	}
	var targets []*targetRecorder
	for i := range r.cfg.Targets {
		t := r.newTarget(i, c, beats)
		targets = append(targets, t)
		if err := r.open(ctx, t); err != nil {
			for _, t := range targets {
				t.end()
			}
			return fmt.Errorf("%s: %w", t.target.Type, err)
		}
	}
	results := make([]error, len(targets))
	var work sync.WaitGroup
	for i, t := range targets {
		work.Go(func() {
			if results[i] = t.run(ctx); results[i] != nil {
				cancel() // the cluster was replaced, so all targets start from scratch
			}
		})
	}
	work.Wait()
	return cmp.Or(results...) // all errors have the same cause
}

// newTarget returns a recorder for the i-th target of a cluster.
func (r *Recorder) newTarget(i int, c identifiedCluster, beats *heartbeat) *targetRecorder {
	t := r.cfg.Targets[i]
	r.health[i].restart()
	return &targetRecorder{
		cfg: &r.cfg, db: r.db, redact: r.redact, budget: r.budget, feed: r.feed, report: r.report, faults: r.report.target(t), health: r.health[i], target: t, cluster: c, beats: beats,
	}
}

// open opens a target. It returns nil for a target that may be opened later.
func (r *Recorder) open(ctx context.Context, t *targetRecorder) error {
	err := r.report.ask(ctx, t.faults.start, func() error { return t.open(ctx) })
	if unknown := new(kube.UnknownResourceError); errors.As(err, &unknown) || err != nil && r.cfg.Start == Wait {
		t.health.notStarted(err)
		err = nil
	}
	return err
}
