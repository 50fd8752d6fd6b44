package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/invocation"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/cmd/vedette/internal/watchview"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/simulation"
)

// recorder records the demo in a database and summarizes the result.
type recorder struct {
	url      string
	d        *sqldb.DB
	recorder *record.Recorder
	keeper   *logkeeper.Keeper
	cluster  string // UID of the cluster, because the database may hold other demos
	ended    chan error
}

// newRecorder opens the database that url names, or a new temporary file if url is
// empty.
func newRecorder(ctx context.Context, url string, server *apitest.Server, cluster *kube.Cluster, targets []watchview.Target) (*recorder, error) {
	if url == "" {
		dir, err := os.MkdirTemp("", "vedette-demo-")
		if err != nil {
			return nil, err
		}
		url = "sqlite:" + filepath.Join(dir, "history.db")
	}
	r := &recorder{url: url, ended: make(chan error, 1)}
	for _, name := range append([]string{"kube-system", "default"}, simulation.Namespaces()...) {
		created, err := server.Create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
		if err != nil {
			return nil, err
		}
		if name == "kube-system" {
			r.cluster = string(created.GetUID())
		}
	}
	var err error
	if r.d, err = settings.OpenToWrite(ctx, url); err != nil {
		return nil, err
	}
	cfg := record.Config{Cluster: cluster, ClusterName: "demo", Name: "demo"}
	for _, t := range targets {
		cfg.Targets = append(cfg.Targets, record.Target{Type: t.Resource.String()})
	}
	if _, err = r.d.Migrate(ctx); err == nil {
		r.recorder, err = record.New(r.d, cfg)
	}
	if err == nil {
		r.keeper, err = newKeeper(r.d, cluster)
	}
	if err != nil {
		_ = r.d.Close() // the first error is the cause
		return nil, err
	}
	return r, nil
}

// newKeeper returns a keeper of the logs of all jobs. It follows running containers,
// because the demo deletes the pods of a cancelled job at once.
func newKeeper(d *sqldb.DB, cluster *kube.Cluster) (*logkeeper.Keeper, error) {
	jobs, err := logkeeper.ParseSelection([]string{"jobs"})
	if err != nil {
		return nil, err
	}
	return logkeeper.New(logkeeper.Config{
		Cluster: cluster, ClusterName: "demo", Name: "demo", Store: joblog.New(d, joblog.Limits{}, nil), Keep: jobs, Tail: jobs, TailEvery: time.Second,
		Logger: slog.New(slog.DiscardHandler),
	})
}

// run records and keeps logs until ctx is done. It calls cancel with an error.
func (r *recorder) run(ctx context.Context, cancel func(error)) {
	kept := make(chan error, 1)
	go func() { kept <- r.keeper.Run(ctx) }()
	err := r.recorder.Run(ctx)
	if err != nil {
		cancel(err)
	}
	r.ended <- errors.Join(err, <-kept)
}

// lastWrite bounds the wait for the last transition in the database.
const lastWrite = 5 * time.Second

// await waits until the database has a number of ended jobs.
func (r *recorder) await(ctx context.Context, jobs int) {
	ctx, cancel := context.WithTimeout(ctx, lastWrite)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if s, err := r.jobs(ctx); err == nil && s.ended >= jobs {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return // the summary shows the current state
		}
	}
}

var jobsOnly = []history.Type{{Group: "batch", Resource: "jobs"}}

// jobStats are the statistics of the jobs in the database.
type jobStats struct {
	history.TypeStats
	ended int
}

// history returns the history in the database.
func (r *recorder) history() *history.History { return history.New(r.d) }

func (r *recorder) jobs(ctx context.Context) (a jobStats, err error) {
	all, err := r.history().Stats(ctx, history.Filter{Cluster: r.cluster, Types: jobsOnly}, time.Now(), nil)
	for _, s := range all {
		a.TypeStats = s
		for _, n := range s.Outcomes {
			a.ended += n
		}
	}
	return a, err
}

// summary describes the records and the commands that read them.
func (r *recorder) summary(ctx context.Context) (string, error) {
	a, err := r.jobs(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	health := r.recorder.Health()
	revisions, transitions := 0, 0
	for _, t := range health.Targets {
		revisions, transitions = revisions+t.Revisions, transitions+t.Transitions
	}
	fmt.Fprintf(&b, "Recorded in %s: %d revisions and %d transitions\n", r.url, revisions, transitions)
	var parts []string
	for _, s := range listing.StateOrder {
		if n := a.Outcomes[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if open := a.Objects - a.ended; open > 0 {
		parts = append(parts, fmt.Sprintf("%d still open", open))
	}
	fmt.Fprintf(&b, "  %d jobs: %s\n", a.Objects, strings.Join(parts, ", "))
	for _, s := range []struct {
		what string
		history.Spread
	}{{"waited", a.Waiting}, {"ran", a.Running}} {
		if s.Count > 0 {
			fmt.Fprintf(&b, "  %s (%d): median %v, maximum %v\n", s.what, s.Count, units.Duration(s.P50), units.Duration(s.Max))
		}
	}
	retries, err := r.transitions(ctx, job.Restarting)
	if err != nil {
		return "", err
	}
	failed, err := r.transitions(ctx, job.Failed)
	if err != nil {
		return "", err
	}
	retried := map[string]bool{}
	for _, c := range retries {
		retried[c.Object.UID] = true
	}
	fmt.Fprintf(&b, "  retried after a failure: %d\n\nRead the history:\n", len(retried))
	if examples := append(failed, retries...); len(examples) > 0 {
		of := examples[0].Object
		for _, command := range []string{"history", "diff", "show"} {
			fmt.Fprintf(&b, "  %s %s jobs/%s -n %s --db %s\n", invocation.Command(), command, of.Name, of.Namespace, r.url)
		}
	}
	fmt.Fprintf(&b, "  %s history jobs -A --state Failed --db %s\n  %s stats jobs -A --db %s", invocation.Command(), r.url, invocation.Command(), r.url)
	return b.String(), nil
}

// transitions returns the transitions of jobs to a state.
func (r *recorder) transitions(ctx context.Context, to job.State) (all []history.Change, err error) {
	f := history.Filter{Cluster: r.cluster, Types: jobsOnly, States: []job.State{to}}
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return r.history().ListTransitions(ctx, f, p)
	}
	for c, err := range history.All(ctx, history.Paging{Limit: 1000}, list) {
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
