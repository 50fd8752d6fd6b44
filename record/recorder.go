package record

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/state"
)

// Config says what a Recorder records. Cluster and Targets must be set.
type Config struct {
	// Cluster is what is followed.
	Cluster *kube.Cluster
	// ClusterName names it to people; default its address.
	ClusterName string
	// Targets are the types to follow.
	Targets []Target
	// Name tells this recorder from others that write into the same database; default
	// the name of the host.
	Name string
	// State returns the state of an object; default state.Of. If it panics, the
	// revision keeps the previous state, and the ledger records the panic.
	State func(object map[string]any) state.Status
	// Redact names fields that are not kept, as "spec.template.spec.containers.env":
	// of arrays on the way, in every element. A dot within a name has a \ before it:
	// metadata.annotations.example\.com/token.
	Redact []string
	// Reflector is how the server is followed.
	Reflector reflector.Config
	// Spill is where what comes waits while the database is away.
	Spill Spill
	// Attention is how often it is looked whether something has become invisible;
	// default 10 seconds.
	Attention time.Duration
	// Patient: a cluster or a database that does not answer at the start is waited for, and
	// is no error.
	Patient bool
	// Logger receives each fault of the server and of the database once, and its end,
	// and messages that no caller receives as an error. Default slog.Default() at the
	// time of the line; slog.New(slog.DiscardHandler) disables logging.
	Logger *slog.Logger
}

// Target is one type, and which of its objects.
type Target struct {
	// Type is its name, as kube.Cluster.Resolve takes it. One that the server does not
	// have is waited for.
	Type      string
	Namespace string // empty: all
	// LabelSelector and FieldSelector choose objects. An object that leaves the
	// selection is asked for by name, to tell it from one that is deleted, which takes
	// the right to get it.
	LabelSelector, FieldSelector string
}

// selection returns the selection for requests to the server.
func (t Target) selection() kube.Selection {
	return kube.Selection{Namespace: t.Namespace, LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, Encoding: kube.JSONOnly}
}

// Recorder writes every revision of what it follows into a database. Create it with
// New.
type Recorder struct {
	cfg    Config
	d      *Database
	redact []fieldPath
	budget budget
	health []*targetHealth

	mu      sync.Mutex
	cluster cluster
	rebuilt uint64
}

// New returns a recorder of a database whose schema is as Migrate leaves it.
//
// Errors: an illegal configuration.
func New(d *Database, cfg Config) (*Recorder, error) {
	switch {
	case d == nil:
		return nil, errors.New("record: the database is nil")
	case cfg.Cluster == nil:
		return nil, errors.New("record: Config.Cluster is not set: it is what is followed")
	case len(cfg.Targets) == 0:
		return nil, errors.New("record: Config.Targets is empty: name the types to record")
	case cfg.Spill.MaxBytes < 0 || cfg.Spill.After < 0 || cfg.Attention < 0:
		return nil, errors.New("record: Config.Spill.MaxBytes, Config.Spill.After or Config.Attention is negative")
	}
	if cfg.ClusterName == "" {
		cfg.ClusterName = cfg.Cluster.Host()
	}
	if cfg.Name == "" {
		cfg.Name, _ = os.Hostname() // empty is a name too
	}
	if cfg.Spill.MaxBytes == 0 {
		cfg.Spill.MaxBytes = DefaultSpill
	}
	r := &Recorder{cfg: cfg, d: d}
	r.budget.left.Store(cfg.Spill.MaxBytes)
	for _, text := range cfg.Redact {
		p, err := parseFieldPath(text)
		if err != nil {
			return nil, fmt.Errorf("record: Config.Redact: %w", err)
		}
		r.redact = append(r.redact, p)
	}
	for _, t := range cfg.Targets {
		if t.Type == "" {
			return nil, errors.New("record: a target has no type")
		}
		if _, err := kube.Named(t.Type); err != nil {
			return nil, fmt.Errorf("record: %w", err)
		}
		if err := t.selection().Check(); err != nil {
			return nil, fmt.Errorf("record: the target %s: %w", t.Type, err)
		}
		r.health = append(r.health, &targetHealth{now: TargetHealth{Target: t}})
	}
	return r, nil
}

// retry returns the wait after the n-th consecutive failure to begin, counted from 0. A
// starting server refuses requests only for a moment; a fault that needs an
// administrator lasts longer.
func (r *Recorder) retry(n int) time.Duration {
	d := cmp.Or(r.cfg.Reflector.MinBackoff, 800*time.Millisecond)
	most := cmp.Or(r.cfg.Reflector.SlowRetry, 30*time.Second)
	for ; n > 0 && d < most; n-- {
		d += min(d, most-d)
	}
	return min(d, most)
}

func (r *Recorder) attention() time.Duration {
	if d := r.cfg.Attention; d > 0 {
		return d
	}
	return 10 * time.Second
}

// patience is how long a batch is tried to be written before it is spilled.
func (r *Recorder) patience() time.Duration {
	if d := r.cfg.Spill.After; d > 0 {
		return d
	}
	return 2 * time.Second
}

// Health returns how the recorder is. Any goroutine may ask, at any time.
func (r *Recorder) Health() Health {
	r.mu.Lock()
	h := Health{Cluster: r.cfg.ClusterName, ClusterUID: r.cluster.uid, Rebuilt: r.rebuilt}
	r.mu.Unlock()
	for _, t := range r.health {
		h.Targets = append(h.Targets, t.get())
	}
	return h
}

// Run records until ctx is done; then it writes what it has received, and returns
// nil. It blocks, and has joined what it started when it returns. It is called once.
//
// Errors: the cluster or the database did not answer at the start.
func (r *Recorder) Run(ctx context.Context) error {
	for first := true; ; first = false {
		c, err := r.identify(ctx, !first || r.cfg.Patient)
		if ctx.Err() != nil {
			return nil // it was to stop, also before it had begun
		}
		if err != nil {
			return err
		}
		one, cancel := context.WithCancelCause(ctx)
		c.changed = cancel
		err = r.record(one, c)
		cancel(nil)
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(context.Cause(one), errRebuilt) {
			return err
		}
		r.log().Warn("everything begins anew", "cluster", r.cfg.ClusterName, "err", errRebuilt)
		r.mu.Lock()
		r.rebuilt++
		r.mu.Unlock()
	}
}

// record follows all targets of one cluster.
func (r *Recorder) record(ctx context.Context, c cluster) error {
	var all []*follower
	for i, t := range r.cfg.Targets {
		f := &follower{r: r, target: t, cluster: c, faults: r.targetLog(t)}
		f.health = r.health[i]
		f.health.set(func(h *TargetHealth) { h.Ready, h.Err = false, nil })
		err := r.ask(ctx, f.faults.begin, func() error { return f.open(ctx) })
		if unknown := new(kube.UnknownResourceError); errors.As(err, &unknown) || err != nil && r.cfg.Patient {
			f.health.set(func(h *TargetHealth) { h.Err = err })
			err = nil
		}
		if err != nil {
			for _, f := range append(all, f) {
				f.end()
			}
			return fmt.Errorf("%s: %w", t.Type, err)
		}
		all = append(all, f)
	}
	var work sync.WaitGroup
	for _, f := range all {
		work.Go(func() { f.run(ctx) })
	}
	work.Wait()
	return nil
}

// numberOf returns the number of the row with a key, which it makes if there is
// none.
func (d *Database) numberOf(ctx context.Context, table string, key []string, values []any, more []string, moreValues []any) (id int64, err error) {
	ctx, done := d.Bounded(ctx)
	defer done()
	where := strings.Join(key, " = ? AND ") + " = ?"
	err = d.within(ctx, func(tx *sql.Tx) error {
		find := func() error {
			return tx.QueryRowContext(ctx, d.Rebind("SELECT id FROM "+table+" WHERE "+where), values...).Scan(&id)
		}
		if err := find(); !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		columns := append(append([]string{}, key...), more...)
		row := append(append([]any{}, values...), moreValues...)
		if err := d.insertAll(ctx, tx, table, columns, [][]any{row}, key[0]); err != nil {
			return err
		}
		return find()
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", table, err)
	}
	return id, nil
}
