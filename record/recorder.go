package record

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
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
	// State says what an object is doing; default state.Of.
	State func(object map[string]any) state.Status
	// Redact names fields that are not kept, as "spec.template.spec.containers.env":
	// of arrays on the way, in every element.
	Redact []string
	// Reflector is how the server is followed.
	Reflector reflector.Config
	// Logger takes what nobody else is told; default slog.Default().
	Logger *slog.Logger
}

// Target is one type, and which of its objects.
type Target struct {
	Resource                     kube.Resource
	Namespace                    string // empty: all
	LabelSelector, FieldSelector string
}

// Recorder writes every revision of what it follows into a database. Create it with
// New.
type Recorder struct {
	cfg    Config
	d      *Database
	redact []fieldPath

	mu    sync.Mutex
	stats Stats
}

// Stats counts what a recorder has done. They only grow.
type Stats struct {
	Result
	Batches uint64
	// Last is when the last batch was written.
	Last time.Time
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
	}
	if cfg.ClusterName == "" {
		cfg.ClusterName = cfg.Cluster.Host()
	}
	if cfg.Name == "" {
		cfg.Name, _ = os.Hostname() // empty is a name too
	}
	if cfg.State == nil {
		cfg.State = state.Of
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	r := &Recorder{cfg: cfg, d: d}
	for _, text := range cfg.Redact {
		p := fieldPath(strings.Split(text, "."))
		if text == "" || strings.Contains("."+text+".", "..") {
			return nil, fmt.Errorf("record: Config.Redact: %q is no path of a field, such as spec.template.spec.containers.env", text)
		}
		r.redact = append(r.redact, p)
	}
	return r, nil
}

// Stats returns the counters.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Run records until ctx is done; then it writes what it has received, and returns
// nil. It blocks, and has joined what it started when it returns.
//
// Errors: the cluster or the database did not answer at the start.
func (r *Recorder) Run(ctx context.Context) error {
	cluster, err := r.clusterID(ctx)
	if err != nil {
		return err
	}
	var all []*follower
	for _, t := range r.cfg.Targets {
		f, err := r.follower(ctx, cluster, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Resource, err)
		}
		all = append(all, f)
	}
	var work sync.WaitGroup
	failed := make(chan error, len(all))
	for _, f := range all {
		work.Go(func() { failed <- f.run(ctx, r.note) })
	}
	work.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (r *Recorder) note(result Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.stats
	s.Revisions, s.Transitions, s.Known = s.Revisions+result.Revisions, s.Transitions+result.Transitions, s.Known+result.Known
	s.Batches++
	s.Last = time.Now()
}

// clusterID returns the row of the cluster, which is told from others by the UID of
// its namespace kube-system: it changes when a cluster is rebuilt.
func (r *Recorder) clusterID(ctx context.Context) (int64, error) {
	namespaces, err := kube.For[corev1.Namespace](r.cfg.Cluster, kube.ClientConfig{})
	if err != nil {
		return 0, err
	}
	system, err := namespaces.Get(ctx, wire.Key{Name: "kube-system"})
	if err != nil {
		return 0, fmt.Errorf("the cluster is told from others by its namespace kube-system: %w", err)
	}
	return r.d.numberOf(ctx, "clusters", []string{"uid"}, []any{string(system.UID)}, []string{"name", "seen_at"}, []any{r.cfg.ClusterName, micros(time.Now())})
}

// numberOf returns the number of the row with a key, which it makes if there is
// none.
func (d *Database) numberOf(ctx context.Context, table string, key []string, values []any, more []string, moreValues []any) (id int64, err error) {
	where := strings.Join(key, " = ? AND ") + " = ?"
	err = d.within(ctx, func(tx *sql.Tx) error {
		find := func() error {
			return tx.QueryRowContext(ctx, d.dialect.query("SELECT id FROM "+table+" WHERE "+where), values...).Scan(&id)
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

// follower is the reflector of one target, and what writes what it brings.
type follower struct {
	collection
	queue     *delta.Queue
	reflector *reflector.Reflector
}

// recentBytes bounds the bodies that are kept in memory for each target.
const recentBytes = 32 << 20

func (r *Recorder) follower(ctx context.Context, cluster int64, t Target) (*follower, error) {
	resource, err := r.d.numberOf(ctx, "resources", []string{"api_group", "name"}, []any{t.Resource.Group, t.Resource.Name}, []string{"kind"}, []any{t.Resource.Kind})
	if err != nil {
		return nil, err
	}
	selection := kube.Selection{Namespace: t.Namespace, LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, Encoding: kube.JSONOnly}
	source, err := r.cfg.Cluster.Collection(t.Resource, selection)
	if err != nil {
		return nil, err
	}
	f := &follower{queue: delta.NewQueue(delta.Limits{}), collection: collection{
		d: r.d, recorder: r.cfg.Name, of: r.cfg.State, redact: r.redact, bodies: newRecent(recentBytes),
		log:   r.cfg.Logger.With("resource", t.Resource.String()),
		place: place{cluster, resource, t.Namespace, selectorHash(t)},
	}}
	resume, err := f.load(ctx)
	if err != nil {
		return nil, err
	}
	cfg := r.cfg.Reflector
	cfg.Resume = resume
	f.reflector, err = reflector.New(source, f.queue, cfg)
	return f, err
}

func selectorHash(t Target) int64 {
	if t.LabelSelector == "" && t.FieldSelector == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.LabelSelector + "\x00" + t.FieldSelector)) // it can not fail
	return int64(h.Sum64())
}

// run follows the server until ctx is done, and then writes what has come.
func (f *follower) run(ctx context.Context, note func(Result)) error {
	var reading sync.WaitGroup
	reading.Go(func() {
		if err := f.reflector.Run(ctx); err != nil {
			f.log.Error("reflector ended", "err", err)
		}
		f.queue.Close()
	})
	defer reading.Wait()
	for {
		deltas, err := f.queue.Get(context.WithoutCancel(ctx)) // until it is closed, which the reflector sees to
		if errors.Is(err, delta.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		result, err := f.writeAll(ctx, deltas)
		if err != nil {
			return nil // it is to stop, and the database does not answer: what is missing comes again
		}
		note(result)
	}
}

// lastPatience is how long what was received is tried to be written once the
// recorder is to stop.
const lastPatience = 5 * time.Second

func (f *follower) writeAll(ctx context.Context, deltas delta.Batch) (Result, error) {
	patient, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(lastPatience, func() { cancel(context.Cause(ctx)) })
	})
	defer stop()
	return f.write(patient, deltas)
}
