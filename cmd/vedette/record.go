package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/rules"
)

// recordOptions are the settings of record, and of what looks at them.
type recordOptions struct {
	watch   watchOptions
	settled *settled
	flags   *pflag.FlagSet
	db      string
	kept    retentionFlags
	redact  []string
	name    string
	spill   string
	listen  string
	wait    bool
	dryRun  bool
}

func newRecord() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record [TYPE[,TYPE…]]",
		Short: "Keep every revision and every change of state in a database",
		Long: "Keep every revision of objects, and every change of their state, in SQL: SQLite, PostgreSQL, MySQL or MariaDB.\n" +
			"What was missed while it did not run is found out when it starts, and said. Several may record the same into one\n" +
			"database. It runs until Ctrl-C.\n\n" +
			"Flags go before the environment (VEDETTE_DB for --db, and so on), that before the file of --config. Types on the\n" +
			"command line take the place of the clusters of the file.",
		Example: "  # Jobs and pods of all namespaces, into a file\n" +
			"  vedette record jobs,pods -A --db sqlite:history.db\n\n" +
			"  # Into MySQL; the password comes from the environment\n" +
			"  VEDETTE_DB_PASSWORD=… vedette record jobs -A --db mysql://vedette@db:3306/history\n\n" +
			"  # Of two clusters\n" +
			"  vedette record jobs -A --context prod-a,prod-b --db sqlite:history.db\n\n" +
			"  # What it would do\n" +
			"  vedette record --config vedette.yaml --dry-run",
		Args: oneAtMost("name the types to record, such as `vedette record jobs,pods`, or a file with --config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be done and where each setting comes from, and write nothing")
	return cmd
}

// addFlags adds the settings of record.
func (o *recordOptions) addFlags(cmd *cobra.Command) {
	o.watch.addFlags(cmd)
	addRules(cmd, &o.watch.rules)
	o.settled = addDatabase(cmd, &o.db)
	o.kept.addFlags(cmd)
	f := cmd.Flags()
	o.flags = f
	f.Lookup("context").Usage = "contexts of the kubeconfig, separated by commas (default: the current one)"
	f.StringSliceVar(&o.redact, "redact", nil, "fields that are not kept, such as spec.template.spec.containers.env")
	f.StringVar(&o.name, "name", "", "tells this recorder from others (default: the name of the host)")
	f.StringVar(&o.spill, "spill", "", "folder where what comes waits while the database is away (default: it waits in memory, and then the server is read no further)")
	f.StringVar(&o.listen, "listen", "", "address for /healthz, /readyz and /metrics, such as 127.0.0.1:8080 (default: none)")
	f.BoolVar(&o.wait, "wait-for-types", false, "begin also if a cluster does not answer, or a type is not served or may not be listed; it is recorded once it can be")
}

// oneAtMost takes one argument or none.
func oneAtMost(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 || len(args) == 1 && args[0] == "" {
			return fmt.Errorf("%s (see `%s --help`)", what, cmd.CommandPath())
		}
		return nil
	}
}

// addRules adds the flag for states of other types.
func addRules(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "rules", "", "file with rules that say what objects of other types are doing")
}

// addDatabase adds the flags that name the database. The URL is there when the command
// runs; see settled.
func addDatabase(cmd *cobra.Command, db *string) *settled {
	cmd.Flags().StringVar(db, "db", "", "database: sqlite:FILE, mysql://user@host/name or postgres://user@host/name (default: VEDETTE_DB)")
	return addConfig(cmd)
}

// openDatabase opens a database to read its history, and says how to name one where
// none is named.
func openDatabase(ctx context.Context, url string) (*record.Database, error) {
	return openWith(ctx, url, record.Read)
}

// openToWrite opens a database to write into it, which may have no schema yet.
func openToWrite(ctx context.Context, url string) (*record.Database, error) {
	return openWith(ctx, url, record.Open)
}

func openWith[D any](ctx context.Context, url string, open func(context.Context, string) (*D, error)) (*D, error) {
	if url == "" {
		return nil, errNoDatabase
	}
	ctx, cancel := context.WithTimeout(ctx, firstAnswer)
	defer cancel()
	return open(ctx, url)
}

var errNoDatabase = errors.New("no database is named: take --db sqlite:history.db, or set VEDETTE_DB, or db in the file of --config")

// clusters returns what is to be recorded: what the command line names, or else the
// file.
func (o *recordOptions) clusters(args []string) ([]clusterConfig, error) {
	if len(args) == 1 {
		return o.watch.named(args[0])
	}
	all := o.settled.file.clusters
	if len(all) == 0 {
		return nil, errors.New("name the types to record, such as `vedette record jobs,pods`, or clusters in the file of --config")
	}
	w := &o.watch
	if w.connect.Context+w.connect.Kubeconfig+w.connect.Namespace+w.labels+w.fields != "" || w.allNamespaces {
		return nil, fmt.Errorf("--context, --kubeconfig, -n, -A and selectors go with types on the command line; the clusters of %s have their own", o.settled.path)
	}
	return all, nil
}

// config returns what does not depend on the cluster.
func (o *recordOptions) config() (cfg record.Config, r *rules.Rules, err error) {
	cfg = record.Config{Name: o.name, Redact: o.redact, Spill: record.Spill{Dir: o.spill}}
	for _, text := range o.redact {
		if err := record.CheckFieldPath(text); err != nil {
			return cfg, nil, fmt.Errorf("%s: %w", o.settled.origin("redact"), err)
		}
	}
	if _, err := o.kept.policy(o.settled); err != nil {
		return cfg, nil, err
	}
	if o.watch.rules != "" {
		if r, err = rules.Load(o.watch.rules); err != nil {
			return cfg, nil, err
		}
		cfg.State = r.Of
	}
	return cfg, r, nil
}

func (o *recordOptions) run(ctx context.Context, args []string, con *console) error {
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
		return errNoDatabase
	}
	clusters, err := connect(all, o.watch.connect.Namespace)
	if err != nil {
		return err
	}
	defer closeAll(clusters)
	var s serving
	if o.listen == "" {
		return o.begin(ctx, cfg, clusters, &s, con)
	}
	// Probes are answered from the start: to migrate a large schema takes long.
	srv, err := newServer(o.listen, &s)
	if err != nil {
		return err
	}
	con.say("health and metrics at http://%s", srv.addr)
	ctx, cancel := context.WithCancelCause(ctx)
	served := make(chan error, 1)
	go func() {
		err := srv.run(ctx)
		cancel(err)
		served <- err
	}()
	err = o.begin(ctx, cfg, clusters, &s, con)
	cancel(err)
	return errors.Join(err, <-served)
}

// begin looks at everything that may be wrong, and then records.
func (o *recordOptions) begin(ctx context.Context, cfg record.Config, clusters []*connected, s *serving, con *console) error {
	con.progress("asking %s …", hosts(clusters))
	var patient func(error)
	if cfg.Patient = o.wait; o.wait {
		patient = func(err error) { con.say("not recorded yet: %s", explain(err)) }
	}
	err := identifyAll(ctx, clusters, patient)
	con.clear()
	if err != nil {
		return err
	}
	if err := o.waitFor(unready(ctx, clusters), con); err != nil {
		return err
	}
	if o.spill != "" {
		if err := os.MkdirAll(o.spill, 0o700); err != nil {
			return fmt.Errorf("%s: the folder to spill into can not be made: %w", o.settled.origin("spill"), err)
		}
	}
	d, err := openToWrite(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := migrate(ctx, d, con); err != nil {
		return err
	}
	if err := d.TryWrite(ctx); err != nil {
		return err
	}
	cfg.Logger = slog.New(slog.NewTextHandler(logTo{con}, nil))
	var recorders []*record.Recorder
	for _, c := range clusters {
		cfg.Cluster, cfg.ClusterName, cfg.Targets = c.Cluster, c.name, nil
		for _, t := range c.targets {
			cfg.Targets = append(cfg.Targets, t.Target)
			con.say("recording %s of %s into %s", t, c.name, d)
		}
		r, err := record.New(d, cfg)
		if err != nil {
			return err
		}
		recorders = append(recorders, r)
	}
	s.set(d, recorders)
	keep, err := o.kept.policy(o.settled)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	wait, err := retain(ctx, d.DB, keep, cfg.Logger, con)
	if err != nil {
		cancel()
		return err
	}
	con.say("Ctrl-C ends it")
	err = runAll(ctx, clusters, recorders, con)
	cancel()
	wait()
	return err
}

// waitFor says what can not be recorded, and refuses that unless it is to be waited
// for.
func (o *recordOptions) waitFor(err error, con *console) error {
	if err == nil {
		return nil
	}
	if !o.wait {
		return errors.Join(err, errors.New("nothing was recorded; with --wait-for-types the rest is, and these once they can be"))
	}
	for _, err := range flat(err) {
		con.say("not recorded yet: %s", explain(err))
	}
	return nil
}

// runAll runs a recorder for each cluster, and joins them. Who fails ends the others.
func runAll(ctx context.Context, clusters []*connected, recorders []*record.Recorder, con *console) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var work sync.WaitGroup
	errs := make([]error, len(recorders))
	for i, r := range recorders {
		work.Go(func() {
			err := r.Run(ctx)
			if err != nil && len(recorders) > 1 {
				err = &aboutCluster{clusters[i].name, err}
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

// report shows now and then how much was written, until done.
func report(recorders []*record.Recorder, con *console, done <-chan struct{}) {
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
			con.say("recorded %d revisions, %d transitions", revisions, transitions)
			return
		case <-tick.C:
			con.progress("%d revisions, %d transitions", revisions, transitions)
		}
	}
}

// logTo writes the lines of a log between those of the progress.
type logTo struct{ con *console }

// Write implements io.Writer.
func (l logTo) Write(line []byte) (int, error) {
	l.con.say("%s", bytes.TrimRight(line, "\n"))
	return len(line), nil
}

func hosts(clusters []*connected) string {
	var names []string
	for _, c := range clusters {
		names = append(names, c.Host())
	}
	return strings.Join(names, ", ")
}
