package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// logsOptions are the flags of logs.
type logsOptions struct {
	connect    kube.Config
	source     source.Flags
	cluster    string // of the portal
	follow     bool
	since      string
	sinceTime  string
	tail       int
	containers []string
	pods       []string
	attempts   []string
	streams    int
	format     logFormat
}

func newLogs(c completions) *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:   "logs NAME|TYPE/NAME",
		Short: "Print the logs of all pods and attempts of a job",
		Long: "Attempts are printed one after another. The lines of an attempt are in the order of their times, across pods and\n" +
			"containers. With -f, lines are printed as they arrive, also those of pods and attempts that begin later, until the\n" +
			"job has ended.\n\n" +
			"An attempt begins with each restart of a container, and with each pod that replaces another one. With --db, the logs\n" +
			"of pods that are gone come from the database, if a recorder has kept them: see --keep-logs of `vedette record`.\n\n" +
			"Lines go to standard output. Notes about missing lines go to standard error, and so have their place on a terminal.\n" +
			"Control characters of the log are printed as escapes, save with -o raw, ndjson and json.",
		Example: "  vedette logs job/train-7\n\n" +
			"  # Follow a job of any type until it has ended, from the last 20 lines of each container\n" +
			"  vedette logs train-7 -f --tail 20\n\n" +
			"  # The last attempt; or one container of the first and the second\n" +
			"  vedette logs pytorchjob/llama -n ml --attempt last\n" +
			"  vedette logs pytorchjob/llama -n ml --attempt 1,2 -c pytorch --since 2h\n\n" +
			"  # Of a job whose pods are gone\n" +
			"  vedette logs job/train-7 --db postgres://vedette@db/history\n\n" +
			"  # Through a portal, without access to the cluster\n" +
			"  vedette logs job/train-7 -f --server https://vedette.example.com\n\n" +
			"  # For other programs\n" +
			"  vedette logs train-7 -o ndjson | jq -r 'select(.pod) | .text'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("name the job, such as `vedette logs job/train-7` (see `vedette logs --help`)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.format.color)
			portal, err := o.source.Portal()
			if err != nil {
				return err
			}
			if portal != nil {
				if err := onlyCluster(cmd, map[string]string{"context": notContext, "max-streams": "it decides itself how many logs it reads at once"}); err != nil {
					return err
				}
				return showRole(con, "", o.onPortal(cmd.Context(), portaljobs.New(portal, &o.source.Server, o.connect, o.cluster), args[0], con))
			}
			if o.cluster != "" {
				return errNotCluster
			}
			return showRole(con, "", o.run(cmd.Context(), args[0], con))
		},
	}
	o.addFlags(cmd)
	c.add(cmd, func() *source.Flags { return &o.source }, suggestJob)
	return cmd
}

func (o *logsOptions) addFlags(cmd *cobra.Command) {
	addConnection(cmd, &o.connect)
	o.source.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.cluster, "cluster", "", "cluster of the job, if the portal has several")
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the job (default: that of the context)")
	f.BoolVarP(&o.follow, "follow", "f", false, "print further lines until the job has ended")
	f.StringVar(&o.since, "since", "", "omit older lines: how long ago (10m, 2h, 3d) or a time (15:04, 2026-03-01T15:04:05Z)")
	f.StringVar(&o.sinceTime, "since-time", "", "the same, as in kubectl")
	f.IntVar(&o.tail, "tail", -1, "number of lines of each container and attempt, from the end; -1 prints all")
	f.StringSliceVarP(&o.containers, "container", "c", nil, "names of containers (default: all)")
	f.StringSliceVar(&o.pods, "pod", nil, "names of pods (default: all)")
	f.StringSliceVar(&o.attempts, "attempt", nil, "numbers of attempts, or last (default: all)")
	f.IntVar(&o.streams, "max-streams", logs.DefaultStreams, "how many logs are read at once")
	f.BoolVar(&o.format.timestamps, "timestamps", false, "print the time of each line")
	f.StringVar(&o.format.prefix, "prefix", "auto", "pod, container and attempt before each line: auto (if there are several), always or never")
	f.StringVarP(&o.format.output, "output", "o", "", "format: raw (text alone, unescaped), ndjson or json (default: lines for people)")
	f.StringVar(&o.format.color, "color", "auto", "colors: auto (on a terminal, unless NO_COLOR is set), always or never")
}

// run finds the job, and prints its logs.
func (o *logsOptions) run(ctx context.Context, name string, con *console.Console) error {
	options, err := o.options()
	if err != nil {
		return err
	}
	p, err := newLogPrinter(con, o.format)
	if err != nil {
		return err
	}
	var db *sqldb.DB
	if o.source.DB != "" {
		if db, err = settings.OpenDatabase(ctx, o.source.DB); err != nil {
			con.Say("kept logs are not shown: %s", explain.Line(err))
		} else {
			defer db.Close()
			options.Kept = joblog.New(db, joblog.Limits{}, nil)
		}
	}
	cluster, err := kube.Connect(o.connect)
	if err != nil && db == nil {
		return err
	}
	if err == nil {
		defer cluster.Close()
		options.Cluster = cluster
	}
	finder := jobFinder{cluster: cluster, db: db, failed: err, namespace: o.connect.Namespace, con: con}
	options.Found = func(n int) { p.many = n > 1 }
	var live bool
	if options.Job, live, err = finder.find(ctx, name); err != nil {
		return err
	}
	if !live {
		options.Cluster = nil
	}
	return o.advise(p.printAll(logs.Read(ctx, options)), db != nil)
}

// onPortal prints logs through a portal.
func (o *logsOptions) onPortal(ctx context.Context, jobs *portaljobs.Jobs, name string, con *console.Console) error {
	options, err := o.options()
	if err != nil {
		return err
	}
	p, err := newLogPrinter(con, o.format)
	if err != nil {
		return err
	}
	con.Progress("looking for %s …", name)
	_, ref, err := jobs.Find(ctx, name)
	con.Clear()
	if err != nil {
		return o.adviseUnknown(err)
	}
	end, err := jobs.FollowLogs(ctx, ref, logQuery(&options), client.LogHandler{
		Found: func(f api.LogsFound) { p.many = f.Logs > 1 },
		Cut:   joblist.ReportOnce(con),
		Line:  func(l api.LogLine) error { return p.write(lineOfPortal(&l)) },
	})
	if err == nil && end.Nothing != "" {
		switch {
		case end.Waits:
			end.Nothing += followIt
		case end.Attempts == 0:
			end.Nothing += keepLater
		}
		err = errors.New(end.Nothing)
	}
	return errors.Join(err, p.close())
}

// adviseUnknown suggests how to list the jobs of a portal.
func (o *logsOptions) adviseUnknown(err error) error {
	if errors.Is(err, history.ErrUnknown) {
		return errors.Join(err, errors.New("`vedette jobs` lists the jobs of the portal"))
	}
	return err
}

// options returns the options of the flags.
func (o *logsOptions) options() (logs.Options, error) {
	options := logs.Options{Follow: o.follow, Containers: o.containers, Pods: o.pods, Streams: o.streams}
	var err error
	if o.since != "" && o.sinceTime != "" {
		return options, errors.New("--since and --since-time exclude each other")
	}
	if options.Since, err = units.ParseTime(o.since+o.sinceTime, time.Now()); err != nil {
		return options, fmt.Errorf("--since: %w", err)
	}
	switch {
	case o.tail < -1:
		return options, fmt.Errorf("--tail is %d; use a number of lines, or -1 for all", o.tail)
	case o.tail >= 0:
		options.Tail = &o.tail
	}
	if o.streams < 1 {
		return options, fmt.Errorf("--max-streams is %d; use at least 1", o.streams)
	}
	for _, word := range o.attempts {
		n, err := strconv.Atoi(word)
		switch {
		case word == "last":
			n = -1
		case err != nil || n < 1:
			return options, fmt.Errorf("--attempt: %q is no attempt; use numbers from 1, or last", word)
		}
		options.Attempts = append(options.Attempts, n)
	}
	return options, nil
}

// keepLater suggests how to keep logs.
const keepLater = "; `vedette record --keep-logs TYPE` keeps the logs of jobs that run from then on"

// followIt suggests how to wait for the log of a job that has not started.
const followIt = "; -f waits for its pods, and prints their logs"

// advise suggests a remedy if there are no logs.
func (o *logsOptions) advise(err error, database bool) error {
	var none *logs.NoLogsError
	if !errors.As(err, &none) || none.Attempts > 0 {
		return err
	}
	switch {
	case none.Waits != "":
		return fmt.Errorf("%w%s", err, followIt)
	case database:
		return fmt.Errorf("%w%s", err, keepLater)
	}
	return fmt.Errorf("%w; name a database with --db if a recorder keeps them (`vedette record --keep-logs TYPE`)", err)
}
