package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"

	"github.com/vedette-io/vedette/platform/submit"
)

// cancelOptions are the flags of cancel.
type cancelOptions struct {
	server          source.ServerFlags
	cluster         string // of the portal
	connect         kube.Config
	selector        string
	reason          string
	delete, suspend bool
	dryRun, yes     bool
	output          string
}

func newCancel(c completions) *cobra.Command {
	var o cancelOptions
	cmd := &cobra.Command{
		Use:   "cancel NAME…|TYPE/NAME…|-l SELECTOR",
		Short: "Stop jobs, and record by whom and why",
		Long: "The command requests the stop of a job if its operator has a field or a command for it, as Tekton, Argo Workflows and\n" +
			"Volcano have. Else it suspends a job whose type can be suspended. All other jobs are deleted, and so are jobs in a queue\n" +
			"of Kueue, which would resume them.\n\n" +
			"Annotations of the job name you, as the server knows you, and the reason. The history still shows them when the job\n" +
			"no longer exists. Its state is Aborted, and messages about it name you. Cancelling a job again succeeds and changes nothing.",
		Example: "  vedette cancel train-7 --reason 'wrong data'\n" +
			"  vedette cancel job/train-7 pytorchjob/llama -n ml\n\n" +
			"  # Delete it, whatever its type\n" +
			"  vedette cancel job/train-7 --delete\n\n" +
			"  # All jobs of a sweep that have not ended\n" +
			"  vedette cancel -l sweep=lr --reason 'diverges'",
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			if o.server.URL != "" {
				if err := onlyCluster(cmd, map[string]string{"context": notContext}); err != nil {
					return err
				}
				return showRoles(con, o.output, o.onPortal(cmd.Context(), args, cmd.InOrStdin(), con))
			}
			if o.cluster != "" {
				return errNotCluster
			}
			return showRoles(con, o.output, o.run(cmd.Context(), args, cmd.InOrStdin(), con))
		},
	}
	addConnection(cmd, &o.connect)
	settings.AddConfig(cmd)
	o.server.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the jobs (default: that of the context)")
	f.StringVar(&o.cluster, "cluster", "", "cluster of the jobs, if the portal has several")
	f.StringVarP(&o.selector, "selector", "l", "", "cancel the jobs with these labels that have not ended, such as sweep=lr")
	f.StringVar(&o.reason, "reason", "", "why, in one line")
	f.BoolVar(&o.delete, "delete", false, "delete the jobs, whatever their type")
	f.BoolVar(&o.suspend, "suspend", false, "suspend the jobs, even if a queue manager may resume them")
	f.BoolVar(&o.dryRun, "dry-run", false, "ask the server whether it would do it, and change nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask before cancelling the jobs of a selector")
	f.StringVarP(&o.output, "output", "o", "", "format: name (default: one line per job)")
	c.add(cmd, func() *source.Flags { return &source.Flags{Server: o.server} }, suggestOpenJobs)
	return finishes(cmd)
}

// check returns an error for flags that contradict each other.
func (o *cancelOptions) check(names []string) error {
	switch {
	case (len(names) == 0) == (o.selector == ""):
		return errors.New("name the jobs, such as job/train-7, or select them with -l")
	case o.delete && o.suspend:
		return errors.New("--delete and --suspend exclude each other")
	}
	_, err := source.ParseLabels(o.selector)
	if err == nil {
		_, err = listing.ParseFormat(o.output, "name")
	}
	return err
}

func (o *cancelOptions) run(ctx context.Context, names []string, in io.Reader, con *console.Console) error {
	if err := o.check(names); err != nil {
		return err
	}
	cluster, err := kube.Connect(o.connect)
	if err != nil {
		return err
	}
	defer cluster.Close()
	client := submit.New(cluster, submit.Config{Logger: slog.New(newRetryHandler(con))})
	if o.selector != "" {
		jobs, err := o.choose(ctx, client, in, con)
		if err != nil {
			return err
		}
		return each(jobs, func(job submit.Job) error { return o.cancel(ctx, client, job, con) })
	}
	return each(names, func(name string) error {
		job, err := client.Find(ctx, name, o.connect.Namespace)
		if err != nil {
			return err
		}
		return o.cancel(ctx, client, job, con)
	})
}

// showRoles is showRole for the errors of several jobs. It shows the role of the first right
// that is missing.
func showRoles(con *console.Console, output string, err error) error {
	errs := explain.Flatten(err)
	at := slices.IndexFunc(errs, func(e error) bool { _, role := missingRight(e); return role != "" })
	if len(errs) < 2 || at < 0 {
		return showRole(con, output, err)
	}
	first, _ := missingRight(errs[at])
	for _, e := range errs {
		if what, _ := missingRight(e); what != first {
			con.Say("vedette: %s", explain.Line(e))
		}
	}
	return showRole(con, output, errs[at])
}

// choose returns the selected jobs that have not ended, after a question.
func (o *cancelOptions) choose(ctx context.Context, client *submit.Client, in io.Reader, con *console.Console) ([]submit.Job, error) {
	all, err := client.Select(ctx, o.selector, o.connect.Namespace)
	if err != nil {
		return nil, err
	}
	jobs := slices.DeleteFunc(all, func(j submit.Job) bool { return job.ReadStatus(j.Object.Object).State.Final() })
	return jobs, o.confirm(jobs, in, con)
}

// confirm asks whether the selected jobs are meant.
func (o *cancelOptions) confirm(jobs []submit.Job, in io.Reader, con *console.Console) error {
	if len(jobs) == 0 {
		con.Say("no job with %s runs or waits", o.selector)
		return nil
	}
	if o.yes || o.dryRun {
		return nil
	}
	const shown = 20
	for _, job := range jobs[:min(len(jobs), shown)] {
		con.Say("  %s", job)
	}
	if len(jobs) > shown {
		con.Say("  and %d more", len(jobs)-shown)
	}
	return askFor(in, con, fmt.Sprintf("cancels %s in namespace %s", units.Count(len(jobs), "job"), jobs[0].Namespace))
}

func (o *cancelOptions) cancel(ctx context.Context, client *submit.Client, job submit.Job, con *console.Console) error {
	options := submit.CancelOptions{Reason: o.reason, DryRun: o.dryRun}
	switch {
	case o.delete:
		options.How = submit.Deleting
	case o.suspend:
		options.How = submit.Suspending
	}
	con.Progress("cancelling %s …", job)
	done, err := client.Cancel(ctx, job, options)
	con.Clear()
	if err != nil {
		return err
	}
	if o.output == "name" {
		return con.Print(printable.Line(source.NameOfJob(job)) + "\n")
	}
	return con.Print(printable.Line(o.line(client.Cluster(), job, done)) + "\n")
}

// doing has a word for each way to cancel a job.
var doing = map[string]string{job.CancelDelete: "deleted", job.CancelSuspend: "suspended", job.CancelCommand: "stop requested"}

// onPortal cancels jobs in the name of the person that the portal knows.
func (o *cancelOptions) onPortal(ctx context.Context, names []string, in io.Reader, con *console.Console) error {
	if err := o.check(names); err != nil {
		return err
	}
	c, err := o.server.Client()
	if err != nil {
		return err
	}
	jobs := portaljobs.New(c, &o.server, o.connect, o.cluster)
	if o.selector == "" {
		return each(names, func(name string) error {
			job, ref, err := jobs.Find(ctx, name)
			if err != nil {
				return err
			}
			return o.stop(ctx, jobs, job, ref, con)
		})
	}
	con.Progress("reading jobs …")
	found, refs, err := jobs.Open(ctx, o.selector)
	con.Clear()
	if err == nil {
		err = o.confirm(found, in, con)
	}
	if err != nil {
		return err
	}
	return each(refs, func(ref api.JobRef) error { return o.stop(ctx, jobs, portaljobs.JobOfRef(ref), ref, con) })
}

// stop cancels a job through a portal.
func (o *cancelOptions) stop(ctx context.Context, jobs *portaljobs.Jobs, j submit.Job, ref api.JobRef, con *console.Console) error {
	request := api.StopRequest{Reason: o.reason, Confirm: ref.Name, DryRun: o.dryRun} // to name the job is to confirm
	switch {
	case o.delete:
		request.How = job.CancelDelete
	case o.suspend:
		request.How = job.CancelSuspend
	}
	con.Progress("cancelling %s …", j)
	act, err := jobs.Stop(ctx, ref, request)
	con.Clear()
	if err != nil {
		return err
	}
	if o.output == "name" {
		return con.Print(printable.Line(source.NameOfJob(j)) + "\n")
	}
	done := submit.Cancelled{Actor: act.By, Reason: act.Why, At: act.At, How: act.How, Before: act.Before}
	return con.Print(printable.Line(o.became(j, done, jobs.Next("retry", j))) + "\n")
}

// line describes the result for a job.
func (o *cancelOptions) line(cluster *kube.Cluster, job submit.Job, done submit.Cancelled) string {
	links := submitOptions{namespace: o.connect.Namespace}
	links.templates.connect = o.connect
	return o.became(job, done, links.command("retry", cluster, job))
}

// became describes the result for a job, and suggests the next command.
func (o *cancelOptions) became(j submit.Job, done submit.Cancelled, next string) string {
	switch {
	case done.Before && done.Actor == "":
		return fmt.Sprintf("%s is being deleted already", j)
	case done.Before:
		text := fmt.Sprintf("%s was cancelled already, %s ago, by %s", j, units.Duration(max(time.Since(done.At), time.Second).Round(time.Second)), done.Actor)
		if done.Reason != "" {
			text += ": " + done.Reason
		}
		return text
	case o.dryRun:
		return fmt.Sprintf("%s would be %s in namespace %s (dry run)", j, doing[done.How], j.Namespace)
	}
	text := fmt.Sprintf("%s cancelled in namespace %s: %s", j, j.Namespace, doing[done.How])
	if done.How == job.CancelDelete {
		return text + "; its history stays"
	}
	return text + "; next: `" + next + "`"
}
