package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record/history"
)

// jobsOptions are the flags of jobs.
type jobsOptions struct {
	connect       kube.Config
	source        sourceFlags
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
	output        listFlags
	color         string
}

func newJobs() *cobra.Command {
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
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.color)
			return showRole(con, "", o.run(cmd.Context(), con))
		},
	}
	addConnection(cmd, &o.connect)
	o.source.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.live, "live", false, "ask the cluster, even if a database is named")
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the jobs (default: that of the context)")
	f.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "list jobs of all namespaces")
	f.StringVar(&o.cluster, "cluster", "", "name or UID of a cluster, if the database has several")
	f.BoolVar(&o.mine, "mine", false, "only jobs that you have submitted")
	f.StringVar(&o.user, "user", "", "only jobs of this submitter; with --mine, your name (default: VEDETTE_USER, then what the cluster says)")
	f.StringSliceVar(&o.states, "state", nil, "only jobs in these states: Running, Failed, …")
	f.StringVar(&o.since, "since", "", "leave out jobs that ended before: 2h, 3d (ago), 15:04, 2026-03-01")
	f.StringVarP(&o.labels, "selector", "l", "", "labels of the jobs, such as app=train,team=vision")
	f.StringVar(&o.queue, "queue", "", "only jobs of this queue")
	f.StringVar(&o.types, "type", "", "only jobs of these types, such as pytorchjobs,rayjobs")
	f.IntVar(&o.limit, "limit", 50, "largest number of jobs; 0 lists all")
	f.StringVar(&o.after, "after", "", "continue a list of the history where the last page ended")
	f.StringVar(&o.sort, "sort", "", "order of the listed jobs: "+jobOrderNames+" (default: open jobs first, the newest first)")
	f.BoolVarP(&o.watch, "watch", "w", false, "go on, and show changes: in place on a terminal, else a line for each")
	o.output.addFlags(cmd)
	f.StringVar(&o.color, "color", "auto", "colors: auto (on a terminal, unless NO_COLOR is set), always or never")
	return cmd
}

// run reads the flags, opens the source, and prints what it lists.
func (o *jobsOptions) run(ctx context.Context, con *console) error {
	q, err := o.query(ctx)
	if err != nil {
		return err
	}
	if _, err := newListPrinter(con, o.output, columns{}); err != nil { // a wrong format, before anything is asked
		return err
	}
	if err := sortJobs(nil, o.sort); err != nil {
		return err
	}
	src, err := o.open(ctx, con)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer src.close()
	defer cancel()
	view := o.view(con)
	if o.watch {
		return o.follow(ctx, src, q, view)
	}
	con.progress("reading jobs …")
	list, err := src.list(ctx, q, time.Now())
	con.clear()
	if err != nil {
		return err
	}
	if err := sortJobs(list.jobs, o.sort); err != nil {
		return err
	}
	if err := view.print(list); err != nil {
		return err
	}
	if view.forPeople() {
		o.sum(list, view, con)
	}
	return nil
}

// query returns what the flags select.
func (o *jobsOptions) query(ctx context.Context) (q jobQuery, err error) {
	q = jobQuery{queue: o.queue, types: o.types, labels: o.labels, cluster: o.cluster, limit: o.limit, after: history.Cursor(o.after), submitter: o.user}
	switch {
	case o.limit < 0:
		return q, errors.New("--limit is negative; 0 lists all")
	case o.watch && o.after != "":
		return q, errors.New("--watch shows the newest jobs; leave out --after")
	}
	if q.states, err = jobStates(o.states); err != nil {
		return q, err
	}
	if q.since, err = parseTime(o.since, time.Now()); err != nil {
		return q, err
	}
	if !o.allNamespaces {
		q.namespace = o.inNamespace()
	}
	if o.mine && q.submitter == "" {
		if q.submitter = os.Getenv("VEDETTE_USER"); q.submitter == "" {
			if q.submitter, err = o.me(ctx); err != nil {
				return q, fmt.Errorf("--mine: you have no name here: %w; use --user NAME or VEDETTE_USER", err)
			}
		}
	}
	return q, nil
}

// me returns the name of the user, as the portal or the cluster knows it.
func (o *jobsOptions) me(ctx context.Context) (string, error) {
	portal, err := o.source.portal()
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
func (o *jobsOptions) inNamespace() string { return namespaceOf(o.connect) }

// open returns the source that the flags name.
func (o *jobsOptions) open(ctx context.Context, con *console) (jobLister, error) {
	if o.source.named() && !o.live {
		h, err := o.source.open(ctx)
		if err != nil {
			return nil, err
		}
		return &recordedJobs{h: h, every: time.Second}, nil
	}
	cluster, err := kube.Connect(o.connect)
	if err != nil {
		return nil, err
	}
	return &liveJobs{cluster: cluster, con: con, told: map[string]bool{}}, nil
}

// jobView prints lists of jobs in one format.
type jobView struct {
	con    *console
	table  *jobTable
	output listFlags
}

func (o *jobsOptions) view(con *console) *jobView {
	t := &jobTable{style: lifestrip.StyleOf(os.Getenv, con.colors), wide: o.output.output == "wide", namespaces: o.allNamespaces}
	t.width, _ = con.size()
	t.icons = t.width > 0
	if t.wide {
		t.width = 0
	}
	return &jobView{con: con, table: t, output: o.output}
}

func (v *jobView) forPeople() bool { return v.output.output == "" || v.output.output == "wide" }

// print prints a list.
func (v *jobView) print(list jobList) error {
	if v.forPeople() {
		lines := v.lines(list.jobs)
		if len(list.jobs) == 0 {
			return nil
		}
		return v.con.styled(strings.Join(lines, "\n") + "\n")
	}
	lp, err := newListPrinter(v.con, v.output, columns{})
	if err != nil {
		return err
	}
	for i := range list.jobs {
		if err := lp.add(jobLine(&list.jobs[i])); err != nil {
			return err
		}
	}
	return lp.end()
}

func jobLine(j *history.Job) line {
	return line{name: strings.TrimSuffix(j.Type, ".batch") + "/" + j.Name, doc: describeJob(j)}
}

// lines returns the table of some jobs. Text of others is escaped.
func (v *jobView) lines(jobs []history.Job) (lines []string) {
	v.table.fit(jobs)
	if !v.output.noHeaders {
		lines = append(lines, v.table.heads())
	}
	for i := range jobs {
		lines = append(lines, v.table.row(&jobs[i]))
	}
	return lines
}

// sum says on standard error how many jobs there are, and what is not shown.
func (o *jobsOptions) sum(list jobList, v *jobView, con *console) {
	if len(list.jobs) == 0 {
		con.say("%s", o.nothing())
		return
	}
	con.say("%s", summaryOf(list))
	if list.more {
		next := ""
		if list.next != "" && o.sort == "" {
			next = fmt.Sprintf("the next page: --after %s; ", list.next)
		}
		con.say("%sall jobs: --limit 0", next)
	}
	if hidden := v.table.hidden; len(hidden) > 0 {
		con.say("no room for %s; -o wide shows all columns", strings.Join(hidden, ", "))
	}
}

// summaryOf returns "41 jobs: 12 running, 3 queued".
func summaryOf(list jobList) string {
	text := countedJobs(list.jobs)
	if list.more {
		text = "the first " + text
		if len(list.open) > 0 {
			text += "; open in all" + countedStates(list.open)
		}
	}
	return text
}

// nothing says why a list can be empty.
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
func (o *jobsOptions) follow(ctx context.Context, src jobLister, q jobQuery, v *jobView) error {
	onScreen, failed := &screen{con: v.con}, failedOnce(v.con)
	known, printed := map[string]history.Job{}, false
	if width, _ := v.con.size(); width == 0 {
		v.table.lasting = true
	}
	switch kind, _, _ := strings.Cut(o.output.output, "="); kind {
	case "", "wide", "ndjson", "name", "jsonpath":
	default:
		return fmt.Errorf("--watch prints changes one by one: use a table, ndjson, name or jsonpath, not %s", kind)
	}
	return watchList(ctx, src, q, func(list jobList) error {
		if err := sortJobs(list.jobs, o.sort); err != nil {
			return err
		}
		if width, height := v.con.size(); v.forPeople() && width > 0 {
			if v.table.width = width; height > 4 && len(list.jobs) > height-3 {
				list.more, list.jobs = true, list.jobs[:height-3]
			}
			bottom := o.nothing()
			lines := []string{}
			if len(list.jobs) > 0 {
				lines, bottom = v.lines(list.jobs), summaryOf(list)
			}
			return onScreen.draw(append(lines, cut(printable.Line(bottom), width-1)), width)
		}
		changed := changesOf(known, list.jobs)
		if !v.forPeople() {
			return v.print(jobList{jobs: changed})
		}
		if len(changed) == 0 {
			return nil
		}
		lines := v.lines(changed)
		if printed && !v.output.noHeaders {
			lines = lines[1:]
		}
		printed = true
		return v.con.styled(strings.Join(lines, "\n") + "\n")
	}, failed)
}
