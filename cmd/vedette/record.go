package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/httpserver"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
	"github.com/vedette-io/vedette/platform/metrics/recordmetrics"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb"
)

func newRecord() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record [TYPE[,TYPE…]]",
		Short: "Write every revision and every transition to a database",
		Long: "The database is SQLite, PostgreSQL, MySQL or MariaDB. A recorder resumes where it stopped. It writes what it missed\n" +
			"as far as the server remembers, and records the rest as a gap. Several recorders may write the same objects to one\n" +
			"database. The command runs until Ctrl-C. At its start it waits for clusters and a database that do not answer.\n\n" +
			"Flags override the environment (VEDETTE_DB for --db, and so on), which overrides the file of --config. Types on the\n" +
			"command line replace the clusters of the file.",
		Example: "  # Record the jobs and pods of all namespaces in a file\n" +
			"  vedette record jobs,pods -A --db sqlite:history.db\n\n" +
			"  # Record in MySQL, with the password from the environment\n" +
			"  VEDETTE_DB_PASSWORD=… vedette record jobs -A --db mysql://vedette@db:3306/history\n\n" +
			"  # Record two clusters\n" +
			"  vedette record jobs -A --context prod-a,prod-b --db sqlite:history.db\n\n" +
			"  # Share the work: run the same command on several machines\n" +
			"  vedette record --config vedette.yaml --join\n\n" +
			"  # Show what it would do\n" +
			"  vedette record --config vedette.yaml --dry-run",
		Args: oneAtMost("name the types to record, such as `vedette record jobs,pods`, or a file with --config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would be done and where each setting comes from, and write nothing")
	cmd.ValidArgsFunction = completes(nil, suggestClusterTypes)
	return cmd
}

func (o *recordOptions) run(ctx context.Context, args []string, con *console.Console) error {
	if o.dryRun {
		return o.plan(ctx, args, con)
	}
	cfg, _, err := o.config()
	if err != nil {
		return err
	}
	all, err := o.clusters(args)
	if err != nil {
		return err
	}
	if o.db == "" {
		return settings.ErrNoDatabase
	}
	clusters, err := preflight.Connect(all, o.watch.connect.Namespace)
	if err != nil {
		return err
	}
	defer preflight.CloseAll(clusters)
	var setup *notifierSetup
	if o.notify.path != "" {
		if setup, err = loadSetup(&o.notify, &o.letters, o.settled, preflight.WithClusters(notifyOptions(con), clusters), con); err != nil {
			return err
		}
	}
	s := serving{start: &o.start}
	metrics := []prometheus.Collector{recordmetrics.New(s.health)}
	if o.logs.used() {
		metrics = append(metrics, recordmetrics.NewLogs(s.logs))
	}
	if o.shared.join {
		metrics = append(metrics, recordmetrics.NewShards(s.shares))
	}
	if o.traces.used() {
		metrics = append(metrics, recordmetrics.NewTraces(s.traces))
	}
	if setup != nil {
		metrics = append(metrics, notifyCollectors(s.notifying)...)
	}
	// The server answers probes from the start, because a migration may take a long time.
	at := httpserver.Config{Addr: o.listen, Ready: s.ready, SignsIn: o.portal.signsIn(), Hosts: o.portal.hosts}
	if at.Tls, err = portal.Certificate(o.portal.cert, o.portal.key, o.start.logger(con)); err != nil {
		return err
	}
	if o.portal.shown(o.listen) {
		if o.portal.local, err = o.portal.localToken(con); err != nil {
			return err
		}
		at.Rest, at.LocalToken, metrics = &o.portal, o.portal.local, append(metrics, &o.portal)
	}
	return httpserver.ServeWhile(ctx, at, con, func(ctx context.Context) error {
		return o.begin(ctx, cfg, clusters, setup, &s, con)
	}, metrics...)
}

// begin checks the settings, and then records. It also notifies if it has a setup for that.
func (o *recordOptions) begin(ctx context.Context, cfg record.Config, clusters []*preflight.Cluster, setup *notifierSetup, s *serving, con *console.Console) error {
	var unavailable func(error)
	if !o.start.failFast || o.wait {
		cfg.Start = record.Wait
	}
	if o.wait {
		unavailable = func(err error) { con.Say("not recorded yet: %s", explain.Line(err)) }
	}
	cfg.Logger = o.start.logger(con)
	if err := o.identify(ctx, clusters, unavailable, cfg.Logger, con); err != nil {
		return err
	}
	if err := o.waitFor(preflight.Unready(ctx, clusters), con); err != nil {
		return err
	}
	if err := o.makeSpill(); err != nil {
		return err
	}
	d, err := o.database(ctx, cfg.Logger, con)
	if err != nil {
		return err
	}
	defer d.Close()
	if cfg.Shards, err = o.shared.coordinator(d, o.name, o.settled, cfg.Logger); err != nil {
		return err
	}
	recorders, err := newRecorders(d, cfg, clusters, con)
	if err != nil {
		return err
	}
	keepers, err := o.keepers(d, clusters, cfg.Logger, con)
	if err != nil {
		return err
	}
	traces, err := o.traces.exporter(d, o.settled, cfg.Logger)
	if err != nil {
		return err
	}
	n := newNotifier(d, setup, cfg.Logger)
	s.set(d, recorders, keepers, n, traces, cfg.Shards)
	keep, err := o.kept.policy(o.settled)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wait, err := retain(ctx, d, keep, cfg.Logger, con)
	if err != nil {
		return err
	}
	shown, err := o.portal.start(ctx, o.listen, o.portalOf(d, clusters, setup, keep.Keep, s, cfg.Logger))
	if err != nil {
		cancel()
		wait()
		return err
	}
	told, kept, traced := n.start(ctx), runKeepers(ctx, keepers), runTraces(ctx, traces, cfg.Logger)
	con.Say("Ctrl-C ends it")
	leave := runCoordinator(ctx, cfg.Shards)
	err = runAll(ctx, clusters, recorders, con)
	cancel()
	leave()
	for _, join := range []func(){wait, told, kept, traced, shown} {
		join()
	}
	return err
}

// identify resolves the types and reads the identities of the clusters as soon as they answer.
func (o *recordOptions) identify(ctx context.Context, clusters []*preflight.Cluster, unavailable func(error), log *slog.Logger, con *console.Console) error {
	return o.start.until(ctx, log, func(ctx context.Context) error {
		con.Progress("asking %s …", hosts(clusters))
		defer con.Clear()
		return preflight.Identify(ctx, clusters, unavailable)
	})
}

// database opens the database as soon as it answers.
func (o *recordOptions) database(ctx context.Context, log *slog.Logger, con *console.Console) (d *sqldb.DB, err error) {
	err = o.start.until(ctx, log, func(ctx context.Context) (err error) {
		d, err = o.openDatabase(ctx, con)
		return err
	})
	return d, err
}

// openDatabase opens the database, and brings its schema up to date.
func (o *recordOptions) openDatabase(ctx context.Context, con *console.Console) (*sqldb.DB, error) {
	d, err := settings.OpenToWrite(ctx, o.db)
	if err != nil {
		return nil, err
	}
	if err = migrate(ctx, d, con); err == nil {
		err = record.TryWrite(ctx, d)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// makeSpill creates the spill folder, if the settings name one.
func (o *recordOptions) makeSpill() error {
	if o.spill == "" {
		return nil
	}
	if err := os.MkdirAll(o.spill, 0o700); err != nil {
		return fmt.Errorf("%s: the spill folder cannot be created: %w", o.settled.Origin("spill"), err)
	}
	return nil
}

// newRecorders returns a recorder for each cluster.
func newRecorders(d *sqldb.DB, cfg record.Config, clusters []*preflight.Cluster, con *console.Console) (all []*record.Recorder, err error) {
	for _, c := range clusters {
		cfg.Cluster, cfg.ClusterName, cfg.Targets = c.Cluster, c.Name, nil
		for _, t := range c.Targets {
			if cfg.Shards == nil && !t.UIDs.IsAll() {
				return nil, fmt.Errorf("%s of %s: uid-ranges divides a type among recorders, so it needs --join", t, c.Name)
			}
			cfg.Targets = append(cfg.Targets, t.Target)
			if cfg.Shards == nil {
				con.Say("recording %s of %s into %s", t, c.Name, d)
			} else {
				con.Say("sharing %s of %s into %s", t, c.Name, d)
			}
		}
		r, err := record.New(d, cfg)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// portalOf returns the configuration of the portal of a recorder.
func (o *recordOptions) portalOf(d *sqldb.DB, clusters []*preflight.Cluster, setup *notifierSetup, keep time.Duration, s *serving, log *slog.Logger) portal.Config {
	cfg := portal.Config{DB: d, Clusters: reached(clusters), Logger: log, Watches: func() []api.Watch { return watchesOf(s.health(), time.Now()) }}
	if setup != nil {
		cfg.Notify = setup.file
	}
	if keep < retention.Forever {
		cfg.KeepsDays = int(keep.Hours() / 24)
	}
	return cfg
}

// keepers returns a keeper of logs for each cluster; none if no logs are kept.
func (o *recordOptions) keepers(d *sqldb.DB, clusters []*preflight.Cluster, log *slog.Logger, con *console.Console) (all []*logkeeper.Keeper, err error) {
	s, err := o.logs.settings(o.settled)
	if err != nil || !o.logs.used() {
		return nil, err
	}
	p, err := o.kept.policy(o.settled)
	if err != nil {
		return nil, err
	}
	s.limits.Total = p.MaxLogBytes
	types, namespaces := s.followed()
	for _, c := range clusters {
		cfg := logkeeper.Config{Cluster: c.Cluster, ClusterName: c.Name, Name: o.name, Namespaces: c.PodNamespaces(namespaces, len(types) > 0), Logger: log}
		k, err := s.newKeeper(d, cfg)
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	con.Say("keeping %v", &s)
	return all, nil
}

// waitFor reports types that cannot be recorded now. Without --wait-for-types it returns an error.
func (o *recordOptions) waitFor(err error, con *console.Console) error {
	if err == nil {
		return nil
	}
	if !o.wait {
		return errors.Join(err, errors.New("nothing was recorded; with --wait-for-types, the recorder starts with the rest"))
	}
	for _, err := range explain.Flatten(err) {
		con.Say("not recorded yet: %s", explain.Line(err))
	}
	return nil
}

// runAll runs a recorder for each cluster and waits for all of them. The first error ends
// the others.
func runAll(ctx context.Context, clusters []*preflight.Cluster, recorders []*record.Recorder, con *console.Console) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var work sync.WaitGroup
	errs := make([]error, len(recorders))
	for i, r := range recorders {
		work.Go(func() {
			err := r.Run(ctx)
			if err != nil && len(recorders) > 1 {
				err = &explain.ClusterError{Name: clusters[i].Name, Err: err}
			}
			errs[i] = err
			cancel(err)
		})
	}
	done := make(chan struct{})
	go func() { work.Wait(); close(done) }()
	report(recorders, con, done)
	return errors.Join(errs...)
}

// report shows the number of written records every second, until done is closed.
func report(recorders []*record.Recorder, con *console.Console, done <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		revisions, transitions := 0, 0
		for _, r := range recorders {
			for _, t := range r.Health().Targets {
				revisions, transitions = revisions+t.Revisions, transitions+t.Transitions
			}
		}
		select {
		case <-done:
			con.Say("recorded %d revisions, %d transitions", revisions, transitions)
			return
		case <-tick.C:
			con.Progress("%d revisions, %d transitions", revisions, transitions)
		}
	}
}

func hosts(clusters []*preflight.Cluster) string {
	var names []string
	for _, c := range clusters {
		names = append(names, c.Host())
	}
	return strings.Join(names, ", ")
}
