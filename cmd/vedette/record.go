package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/rules"
)

// recordOptions are the flags of record.
type recordOptions struct {
	watch  watchOptions
	db     string
	rules  string
	redact []string
	name   string
	dryRun bool
}

func newRecord() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record TYPE[,TYPE…]",
		Short: "Keep every revision and every change of state in a database",
		Long: "Keep every revision of objects, and every change of their state, in SQL: SQLite, PostgreSQL, MySQL or MariaDB.\n" +
			"What was missed while it did not run is found out when it starts, and said. Several may record the same into one\n" +
			"database. It runs until Ctrl-C.",
		Example: "  # Jobs and pods of all namespaces, into a file\n" +
			"  vedette record jobs,pods -A --db sqlite:history.db\n\n" +
			"  # Into MySQL; the password comes from the environment\n" +
			"  VEDETTE_DB_PASSWORD=… vedette record jobs -A --db mysql://vedette@db:3306/history\n\n" +
			"  # What it would do\n" +
			"  vedette record jobs -A --db sqlite:history.db --dry-run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("name the types to record, such as `vedette record jobs,pods` (see `vedette record --help`)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.watch.addFlags(cmd)
	addDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVar(&o.rules, "rules", "", "file with rules that say what objects of other types are doing")
	f.StringSliceVar(&o.redact, "redact", nil, "fields that are not kept, such as spec.template.spec.containers.env")
	f.StringVar(&o.name, "name", "", "tells this recorder from others (default: the name of the host)")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and do not do it")
	return cmd
}

// addDatabase adds the flag that names the database.
func addDatabase(cmd *cobra.Command, db *string) {
	*db = os.Getenv("VEDETTE_DB")
	cmd.Flags().StringVar(db, "db", *db, "database: sqlite:FILE, mysql://user@host/name or postgres://user@host/name (default: VEDETTE_DB)")
}

// openDatabase opens a database, and says how to name one where none is named.
func openDatabase(ctx context.Context, url string) (*record.Database, error) {
	if url == "" {
		return nil, errors.New("no database is named: take --db sqlite:history.db, or set VEDETTE_DB")
	}
	return record.Open(ctx, url)
}

func (o *recordOptions) run(ctx context.Context, types string, con *console) error {
	cfg := record.Config{Name: o.name, Redact: o.redact}
	if o.rules != "" {
		r, err := rules.Load(o.rules)
		if err != nil {
			return err
		}
		cfg.State = r.Of
	}
	cluster, err := kube.Connect(o.watch.connect)
	if err != nil {
		return err
	}
	defer cluster.Close()
	con.progress("asking %s for its types …", cluster.Host())
	targets, err := o.watch.targets(ctx, cluster, types)
	con.clear()
	if err != nil {
		return err
	}
	cfg.Cluster = cluster
	var names []string
	for _, t := range targets {
		cfg.Targets = append(cfg.Targets, record.Target{Type: t.resource.String(), Namespace: t.selection.Namespace, LabelSelector: o.watch.labels, FieldSelector: o.watch.fields})
		names = append(names, t.resource.String())
	}
	d, err := openDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	if o.dryRun {
		con.say("would record %s of %s into %s", strings.Join(names, ", "), cluster.Host(), d)
		return nil
	}
	if err := migrate(ctx, d, con); err != nil {
		return err
	}
	r, err := record.New(d, cfg)
	if err != nil {
		return err
	}
	con.say("recording %s of %s into %s; Ctrl-C ends it", strings.Join(names, ", "), cluster.Host(), d)
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	return o.report(r, con, done)
}

// report shows now and then how much was written.
func (o *recordOptions) report(r *record.Recorder, con *console, done <-chan error) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			s := written(r)
			con.say("recorded %d revisions, %d transitions", s.Revisions, s.Transitions)
			return err
		case <-tick.C:
			s := written(r)
			con.progress("%d revisions, %d transitions", s.Revisions, s.Transitions)
		}
	}
}

// written sums up what was written of all targets.
func written(r *record.Recorder) (sum record.Result) {
	for _, t := range r.Health().Targets {
		sum.Revisions += t.Revisions
		sum.Transitions += t.Transitions
	}
	return sum
}

func migrate(ctx context.Context, d *record.Database, con *console) error {
	con.progress("looking at the schema of %s …", d)
	applied, err := d.Migrate(ctx)
	con.clear()
	for _, m := range applied {
		con.say("the schema of %s: %s", d, m.Name)
	}
	return err
}

func newMigrate() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "migrate status|up",
		Short: "Show or bring up to date the schema of the database",
		Long: "Show which steps of the schema the database has, or take those that are missing. `vedette record` takes them by\n" +
			"itself; this is for who wants to do it before, with other rights.",
		Example:   "  vedette migrate status --db postgres://vedette@db/history\n  vedette migrate up --db postgres://admin@db/history",
		ValidArgs: []string{"status", "up"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			d, err := openDatabase(cmd.Context(), url)
			if err != nil {
				return err
			}
			defer d.Close()
			if args[0] == "up" {
				if err := migrate(cmd.Context(), d, con); err != nil {
					return err
				}
			}
			steps, err := d.Migrations(cmd.Context())
			for _, m := range steps {
				when := "not applied"
				if m.Applied {
					when = m.At.Local().Format(time.DateTime)
				}
				if err := con.print(fmt.Sprintf("%-30s  %s\n", m.Name, when)); err != nil {
					return err
				}
			}
			return err
		},
	}
	addDatabase(cmd, &url)
	return cmd
}
