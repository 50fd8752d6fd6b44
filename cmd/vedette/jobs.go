package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/cmd/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
)

// jobsOptions are the flags of jobs.
type jobsOptions struct {
	connect       kube.Config
	source        source.Flags
	cluster       string
	live          bool
	allNamespaces bool
	mine          bool
	user          string
	states        []string
	since         string
	labels        string
	queue, types  string
	limit         int
	after         string
	sort          string
	watch         bool
	output        listing.Flags
	color         string
}

func newJobs(c completions) *cobra.Command {
	var o jobsOptions
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List jobs: what runs, what waits, and why",
		Long: "List open jobs, those that were submitted last first, and then the jobs that have ended, the newest first. Jobs that\n" +
			"belong to another job, such as those of a JobSet, are left out.\n\n" +
			"Without a database, the command asks the cluster: it shows what still exists, with the times that the objects say.\n" +
			"With --db or VEDETTE_DB, or a portal as --server, it reads the history: also deleted jobs, with exact times.\n\n" +
			"LIFE is the life of a job: thin while it waits, full while it holds GPUs, hatched where nothing was seen. WAITED and\n" +
			"RAN are sums. DETAIL says where a job runs, or why it waits or failed.\n\n" +
			"Fields of json, yaml, csv and ndjson: cluster, type, namespace, name, uid, state, raw, reason, message, since,\n" +
			"submitted, ended, deleted, presence, waitedSeconds, ranSeconds, tries, gpus, pods, queue, submitter, node, life.",
		Example: "  # Jobs of the current namespace; all of mine; all that fail, as they fail\n" +
			"  vedette jobs\n" +
			"  vedette jobs -A --mine\n" +
			"  vedette jobs -A --state Failed --watch\n\n" +
			"  # Deleted jobs too, from the history\n" +
			"  vedette jobs -A --since 24h --db sqlite:history.db\n\n" +
			"  # Who waits longest for GPUs, for another program\n" +
			"  vedette jobs -A --state Queued --sort waited -o ndjson",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.color)
			return showRole(con, "", o.run(cmd.Context(), con))
		},
	}
	addConnection(cmd, &o.connect)
	o.source.AddFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.live, "live", false, "ask the cluster, even if a database is named")
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the jobs (default: that of the context)")
	f.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "list jobs of all namespaces")
	f.StringVar(&o.cluster, "cluster", "", "name or UID of a cluster, if the database has several")
	f.BoolVar(&o.mine, "mine", false, "only jobs that you have submitted")
	f.StringVar(&o.user, "user", "", "only jobs of this submitter; with --mine, your name (default: VEDETTE_USER, then the name from the cluster)")
	f.StringSliceVar(&o.states, "state", nil, "only jobs in these states: Running, Failed, …")
	f.StringVar(&o.since, "since", "", "leave out jobs that ended before: 2h, 3d (ago), 15:04, 2026-03-01")
	f.StringVarP(&o.labels, "selector", "l", "", "labels of the jobs, such as app=train,team=vision")
	f.StringVar(&o.queue, "queue", "", "only jobs of this queue")
	f.StringVar(&o.types, "type", "", "only jobs of these types, such as pytorchjobs,rayjobs")
	f.IntVar(&o.limit, "limit", 50, "largest number of jobs; 0 lists all")
	f.StringVar(&o.after, "after", "", "cursor after the previous page of the history")
	f.StringVar(&o.sort, "sort", "", "order of the listed jobs: "+joblist.Orders+" (default: open jobs first, the newest first)")
	f.BoolVarP(&o.watch, "watch", "w", false, "keep running and show changes: in place on a terminal, otherwise one line for each")
	o.output.AddFlags(cmd)
	f.StringVar(&o.color, "color", "auto", "colors: auto (on a terminal, unless NO_COLOR is set), always or never")
	c.add(cmd, func() *source.Flags { return &o.source }, nil)
	return cmd
}

// run reads the flags, opens the source, and prints its jobs.
func (o *jobsOptions) run(ctx context.Context, con *console.Console) error {
	q, err := o.query(ctx)
	if err != nil {
		return err
	}
	if _, err := listing.NewPrinter(con, o.output, listing.Columns{}); err != nil { // a wrong format, before anything is asked
		return err
	}
	if err := joblist.Sort(nil, o.sort); err != nil {
		return err
	}
	src, err := o.open(ctx, q, con)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer src.Close()
	defer cancel()
	view := o.view(con)
	if o.watch {
		return o.follow(ctx, src, q, view)
	}
	con.Progress("reading jobs …")
	list, err := src.List(ctx, q, time.Now())
	con.Clear()
	if err != nil {
		return err
	}
	if err := joblist.Sort(list.Jobs, o.sort); err != nil {
		return err
	}
	if err := view.print(list); err != nil {
		return err
	}
	if view.forPeople() {
		o.sum(list, view, con)
	}
	if recorded, ok := src.(*joblist.Recorded); ok {
		sayUnrecorded(ctx, con, recorded.H, o.cluster)
	}
	return nil
}

// query returns the selection of the flags.
func (o *jobsOptions) query(ctx context.Context) (q joblist.Query, err error) {
	q = joblist.Query{Queue: o.queue, Types: o.types, Cluster: o.cluster, Limit: o.limit, After: history.Cursor(o.after), Submitter: o.user}
	if err = source.CheckLimit("limit", o.limit); err == nil && o.watch && o.after != "" {
		err = errors.New("--watch shows the newest jobs; leave out --after")
	}
	if err != nil {
		return q, err
	}
	if q.States, err = source.ParseStates(o.states); err != nil {
		return q, err
	}
	if q.Labels, err = source.ParseLabels(o.labels); err != nil {
		return q, err
	}
	if q.Since, _, err = units.ParsePeriod(o.since, "", time.Now()); err != nil {
		return q, err
	}
	if !o.allNamespaces {
		q.Namespace = o.inNamespace()
	}
	if o.mine && q.Submitter == "" {
		if q.Submitter = os.Getenv("VEDETTE_USER"); q.Submitter == "" {
			if q.Submitter, err = o.me(ctx); err != nil {
				return q, fmt.Errorf("--mine: you have no name here: %w; use --user NAME or VEDETTE_USER", err)
			}
		}
	}
	return q, nil
}

// me returns the name of the user, as the portal or the cluster knows it.
func (o *jobsOptions) me(ctx context.Context) (string, error) {
	portal, err := o.source.Portal()
	if err != nil {
		return "", err
	}
	if portal == nil || o.live {
		return askUser(ctx, o.connect)
	}
	session, err := portal.Session(ctx)
	if err == nil && session.Person == "" {
		err = errors.New("the portal asks nobody to sign in")
	}
	if err != nil {
		return "", err
	}
	return session.Person, nil
}

// inNamespace returns the namespace of the flags, of the kubeconfig, or default.
func (o *jobsOptions) inNamespace() string { return source.NamespaceOf(o.connect) }

// open returns the source that the flags name.
func (o *jobsOptions) open(ctx context.Context, q joblist.Query, con *console.Console) (joblist.Source, error) {
	if o.source.Named() && !o.live {
		h, err := o.source.Open(ctx)
		if err != nil {
			return nil, err
		}
		return &joblist.Recorded{H: h, Every: time.Second}, nil
	}
	switch {
	case o.cluster != "":
		return nil, errors.New("--cluster names a cluster of a database or a portal: add --db or --server, or choose the cluster with --context")
	case slices.Contains(q.States, job.Deleted):
		return nil, errors.New("--state: a cluster has no jobs in the state Deleted; name a database with --db, or a portal with --server")
	}
	cluster, err := kube.Connect(o.connect)
	if err != nil {
		return nil, err
	}
	return &joblist.Live{Cluster: cluster, Con: con, Told: map[string]bool{}}, nil
}

// jobView prints lists of jobs in one format.
type jobView struct {
	con    *console.Console
	table  *joblist.Table
	output listing.Flags
}

func (o *jobsOptions) view(con *console.Console) *jobView {
	t := &joblist.Table{Style: lifestrip.StyleOf(os.Getenv, con.Colors), Wide: o.output.Output == "wide", Namespaces: o.allNamespaces}
	t.Width, _ = con.Size()
	t.Icons = t.Width > 0
	if t.Wide {
		t.Width = 0
	}
	return &jobView{con: con, table: t, output: o.output}
}

func (v *jobView) forPeople() bool { return v.output.Output == "" || v.output.Output == "wide" }

// print prints a list.
func (v *jobView) print(list joblist.List) error {
	if v.forPeople() {
		lines := v.lines(list.Jobs)
		if len(list.Jobs) == 0 {
			return nil
		}
		return v.con.Styled(strings.Join(lines, "\n") + "\n")
	}
	lp, err := listing.NewPrinter(v.con, v.output, listing.Columns{})
	if err != nil {
		return err
	}
	for i := range list.Jobs {
		if err := lp.Add(jobLine(&list.Jobs[i])); err != nil {
			return err
		}
	}
	return lp.End()
}

func jobLine(j *history.Job) listing.Item {
	return listing.Item{Name: source.JobName(j), Doc: joblist.NewDocument(j)}
}

// lines returns the table of some jobs. Text of others is escaped.
func (v *jobView) lines(jobs []history.Job) (lines []string) {
	v.table.Fit(jobs)
	if !v.output.NoHeaders {
		lines = append(lines, v.table.Heads())
	}
	for i := range jobs {
		lines = append(lines, v.table.Row(&jobs[i]))
	}
	return lines
}

// sum prints the number of jobs and the omissions on standard error.
func (o *jobsOptions) sum(list joblist.List, v *jobView, con *console.Console) {
	if len(list.Jobs) == 0 {
		con.Say("%s", o.nothing())
		return
	}
	con.Say("%s", summaryOf(list))
	if list.More {
		next := ""
		if list.Next != "" && o.sort == "" {
			next = fmt.Sprintf("the next page: --after %s; ", list.Next)
		}
		con.Say("%sall jobs: --limit 0", next)
	}
	if hidden := v.table.Hidden; len(hidden) > 0 {
		con.Say("no room for %s; -o wide shows all columns", strings.Join(hidden, ", "))
	}
}

// summaryOf returns "41 jobs: 12 running, 3 queued".
func summaryOf(list joblist.List) string {
	text := joblist.CountJobs(list.Jobs)
	if list.More {
		text = "the first " + text
		if len(list.Open) > 0 {
			text += "; open in all" + joblist.CountStates(list.Open)
		}
	}
	return text
}

// nothing explains why a list is empty.
func (o *jobsOptions) nothing() string {
	var filters []string
	for _, f := range []struct{ name, value string }{
		{"--state", strings.Join(o.states, ",")}, {"--queue", o.queue}, {"--type", o.types}, {"--selector", o.labels}, {"--since", o.since}, {"--user", o.user}, {"--cluster", o.cluster},
	} {
		if f.value != "" {
			filters = append(filters, f.name+" "+f.value)
		}
	}
	if o.mine {
		filters = append(filters, "--mine")
	}
	where := ""
	if !o.allNamespaces {
		where = fmt.Sprintf(" in the namespace %s; -A lists all namespaces", o.inNamespace())
	}
	if filters != nil {
		return "no job matches " + strings.Join(filters, " ") + where
	}
	if where != "" {
		return "no jobs" + where
	}
	return "no jobs yet; `vedette submit` creates one, and `vedette demo` shows some"
}

// follow shows the list and its changes until ctx ends.
func (o *jobsOptions) follow(ctx context.Context, src joblist.Source, q joblist.Query, v *jobView) error {
	onScreen, failed := &joblist.Screen{Con: v.con}, joblist.ReportOnce(v.con)
	known, printed := map[string]history.Job{}, false
	if width, _ := v.con.Size(); width == 0 {
		v.table.Lasting = true
	}
	switch kind, _, _ := strings.Cut(o.output.Output, "="); kind {
	case "", "wide", "ndjson", "name", "jsonpath":
	default:
		return fmt.Errorf("--watch prints changes one by one: use a table, ndjson, name or jsonpath, not %s", kind)
	}
	return joblist.Watch(ctx, src, q, func(list joblist.List) error {
		if err := joblist.Sort(list.Jobs, o.sort); err != nil {
			return err
		}
		if width, height := v.con.Size(); v.forPeople() && width > 0 {
			if v.table.Width = width; height > 4 && len(list.Jobs) > height-3 {
				list.More, list.Jobs = true, list.Jobs[:height-3]
			}
			bottom := o.nothing()
			lines := []string{}
			if len(list.Jobs) > 0 {
				lines, bottom = v.lines(list.Jobs), summaryOf(list)
			}
			return onScreen.Draw(append(lines, joblist.Cut(printable.Line(bottom), width-1)), width)
		}
		changed := joblist.ChangesOf(known, list.Jobs)
		if !v.forPeople() {
			return v.print(joblist.List{Jobs: changed})
		}
		if len(changed) == 0 {
			return nil
		}
		lines := v.lines(changed)
		if printed && !v.output.NoHeaders {
			lines = lines[1:]
		}
		printed = true
		return v.con.Styled(strings.Join(lines, "\n") + "\n")
	}, failed)
}
