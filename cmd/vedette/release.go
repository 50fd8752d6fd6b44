package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
)

// releaseOptions are the flags of release.
type releaseOptions struct {
	server  source.ServerFlags
	cluster string // of the portal
	connect kube.Config
	output  string
}

func newRelease(c completions) *cobra.Command {
	var o releaseOptions
	cmd := &cobra.Command{
		Use:   "release NAME…|TYPE/NAME…",
		Short: "Release jobs that are on hold",
		Long: "The command lets jobs go that were submitted with --hold, and resumes those that `vedette cancel` has suspended. A job of\n" +
			"a queue of Kueue goes back to its queue and starts when Kueue has quota for it. All other jobs start at once.\n\n" +
			"To release a job twice is no error.",
		Example: "  vedette submit -f job.yaml --hold\n" +
			"  vedette release job/train-7",
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			if o.server.URL != "" {
				if err := onlyCluster(cmd, map[string]string{"context": notContext}); err != nil {
					return err
				}
				return showRoles(con, o.output, o.onPortal(cmd.Context(), args, con))
			}
			if o.cluster != "" {
				return errNotCluster
			}
			return showRoles(con, o.output, o.run(cmd.Context(), args, con))
		},
	}
	addConnection(cmd, &o.connect)
	settings.AddConfig(cmd)
	o.server.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the jobs (default: that of the context)")
	f.StringVar(&o.cluster, "cluster", "", "cluster of the jobs, if the portal has several")
	f.StringVarP(&o.output, "output", "o", "", "format: name (default: one line per job)")
	c.add(cmd, func() *source.Flags { return &source.Flags{Server: o.server} }, suggestJobs)
	return finishes(cmd)
}

// check returns an error for arguments that name no job, and for an unknown format.
func (o *releaseOptions) check(names []string) error {
	if len(names) == 0 {
		return errors.New("name the jobs, such as job/train-7")
	}
	_, err := listing.ParseFormat(o.output, "name")
	return err
}

func (o *releaseOptions) run(ctx context.Context, names []string, con *console.Console) error {
	if err := o.check(names); err != nil {
		return err
	}
	cluster, err := kube.Connect(o.connect)
	if err != nil {
		return err
	}
	defer cluster.Close()
	client := submit.New(cluster, submit.Config{Logger: slog.New(newRetryHandler(con))})
	links := submitOptions{namespace: o.connect.Namespace}
	links.templates.connect = o.connect
	return each(names, func(name string) error {
		job, err := client.Find(ctx, name, o.connect.Namespace)
		if err != nil {
			return err
		}
		con.Progress("releasing %s …", job)
		let, err := client.Release(ctx, job)
		con.Clear()
		if err != nil {
			return err
		}
		return o.print(job, let, links.nextIn(cluster), con)
	})
}

// onPortal releases jobs in the name of the person that the portal knows.
func (o *releaseOptions) onPortal(ctx context.Context, names []string, con *console.Console) error {
	if err := o.check(names); err != nil {
		return err
	}
	c, err := o.server.Client()
	if err != nil {
		return err
	}
	jobs := portaljobs.New(c, &o.server, o.connect, o.cluster)
	return each(names, func(name string) error {
		job, ref, err := jobs.Find(ctx, name)
		if err != nil {
			return err
		}
		con.Progress("releasing %s …", job)
		act, err := jobs.Release(ctx, ref)
		con.Clear()
		if err != nil {
			return err
		}
		return o.print(job, act.Count > 0, jobs.Next, con)
	})
}

// print describes the result for a job. let is false for a job that was not on hold.
func (o *releaseOptions) print(job submit.Job, let bool, next commandFor, con *console.Console) error {
	text := fmt.Sprintf("%s is not on hold", job)
	switch {
	case o.output == "name":
		text = source.NameOfJob(job)
	case let:
		text = fmt.Sprintf("%s released in namespace %s; next: `%s -f`", job, job.Namespace, next("logs", job))
	}
	return con.Print(printable.Line(text) + "\n")
}
