package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
)

func newSubmit() *cobra.Command {
	var o submitOptions
	cmd := &cobra.Command{
		Use:   "submit -f FILE | --image IMAGE [flags] -- COMMAND",
		Short: "Create a job",
		Long: "The server checks the job first, and all of its objections are printed with their lines. If any document of a file is\n" +
			"wrong, nothing is created.\n\n" +
			"Each command is a new request, and creates a new job. With --key it creates one job for the key: if the same person\n" +
			"repeats it, the command shows the job that exists, and succeeds. Without a name in the file, the name of the job is made\n" +
			"from the key. --again does that too if the file has a name. If a connection breaks, the command repeats the request\n" +
			"itself; if it gives up, it prints the --key with which you can repeat it.\n\n" +
			"With --hold the job waits, suspended and out of its queue, until `vedette release` releases it.\n\n" +
			"The job gets the name by which the server knows you as annotation vedette.io/submitter. With --wait or --follow, the\n" +
			"exit code is that of the end of the job.\n\n" + exitHelp("submit"),
		Example: "  # A file, or several documents from standard input\n" +
			"  vedette submit -f job.yaml\n" +
			"  vedette submit -f - --dry-run -o yaml < jobs.yaml\n\n" +
			"  # A batch Job without a file; follow its states and logs\n" +
			"  vedette submit --image example.com/train:7 --gpus 8 --cpus 32 --memory 256Gi --queue research \\\n" +
			"    --env EPOCHS=90 --follow -- python train.py\n\n" +
			"  # A template, also one of your own\n" +
			"  vedette submit --template pytorch --image example.com/train:7 --set nodes=4 --name llama\n" +
			"  vedette submit --templates ./templates --template finetune --set model=qwen\n\n" +
			"  # In a script: one job for each commit, however often the script runs\n" +
			"  vedette submit -f job.yaml --key $COMMIT --wait",
		Args: o.takeCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.namespace = o.templates.connect.Namespace
			o.stdin = cmd.InOrStdin()
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.color)
			if o.server.URL != "" {
				if err := onlyCluster(cmd, map[string]string{"context": notContext, "templates-namespace": "it has templates of its own"}); err != nil {
					return err
				}
				return showRole(con, o.output, o.onPortal(cmd.Context(), con))
			}
			if o.cluster != "" {
				return errNotCluster
			}
			return showRole(con, o.output, o.run(cmd.Context(), con))
		},
	}
	o.addSourceFlags(cmd)
	settings.AddConfig(cmd)
	o.server.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.cluster, "cluster", "", "cluster of the portal, if it has several")
	f.StringVarP(&o.templates.connect.Namespace, "namespace", "n", "", "namespace of the job (default: that of the file, then that of the context)")
	f.StringVar(&o.key, "key", "", "key of the request: two commands with one key create one job (default: a random key)")
	f.BoolVar(&o.again, "again", false, "create the job under a new name that begins with its own")
	f.BoolVar(&o.hold, "hold", false, "create the job suspended and out of its queue of Kueue; it starts after vedette release")
	f.BoolVar(&o.dryRun, "dry-run", false, "have the server check the job, and create nothing; -o yaml prints what it would store")
	f.StringVarP(&o.output, "output", "o", "", "format: yaml, json or name (default: one line per job)")
	f.BoolVar(&o.wait, "wait", false, "wait until the job has ended, and print its states")
	f.BoolVar(&o.follow, "follow", false, "wait until the job has ended, and print its states and logs")
	f.BoolVar(&o.any, "any", false, anyHelp)
	f.DurationVar(&o.timeout, "timeout", 0, "how long to wait (default: until the job has ended)")
	f.StringVar(&o.color, "color", "auto", "colors: auto (on a terminal, unless NO_COLOR is set), always or never")
	return finishes(cmd)
}

func (o *submitOptions) run(ctx context.Context, con *console.Console) error {
	if err := o.check(); err != nil {
		return err
	}
	cluster, err := kube.Connect(o.templates.connect)
	if err != nil {
		return err
	}
	defer cluster.Close()
	jobs, err := o.read(ctx, con)
	if err != nil {
		return err
	}
	results, err := o.submit(ctx, submit.New(cluster, submit.Config{Logger: slog.New(newRetryHandler(con))}), jobs, con)
	next := o.nextIn(cluster)
	if err == nil {
		err = o.print(next, results, con)
	}
	if err != nil || !o.wait && !o.follow {
		return err
	}
	return o.await(ctx, next, results, con, func(ctx context.Context, j *watchedJob) error { return o.awaitOne(ctx, cluster, j, con) })
}

// onPortal submits jobs in the name of the person that the portal knows.
func (o *submitOptions) onPortal(ctx context.Context, con *console.Console) error {
	if err := o.check(); err != nil {
		return err
	}
	c, err := o.server.Client()
	if err != nil {
		return err
	}
	jobs := portaljobs.New(c, &o.server, o.templates.connect, o.cluster)
	o.templates.portal = c
	sources, err := o.read(ctx, con)
	if err != nil {
		return err
	}
	p := &portaljobs.Submitter{Jobs: jobs}
	if p.Cluster, err = jobs.ClusterFor(ctx); err != nil {
		return err
	}
	results, err := o.submit(ctx, p, sources, con)
	if err == nil {
		err = o.print(jobs.Next, results, con)
	}
	if err != nil || !o.wait && !o.follow {
		return err
	}
	return o.awaitOnPortal(ctx, p, results, con)
}

// submitter is a cluster or a portal that accepts jobs.
type submitter interface {
	Submit(context.Context, submit.Request) (submit.Result, error)
}

// submit checks all jobs and creates them, unless it is a dry run.
func (o *submitOptions) submit(ctx context.Context, client submitter, jobs []sourced, con *console.Console) ([]submit.Result, error) {
	requests := o.requests(jobs)
	if len(requests) > 1 || o.dryRun {
		checked, err := o.submitAll(ctx, client, requests, true, con)
		if err != nil || o.dryRun {
			return checked, err
		}
	}
	return o.submitAll(ctx, client, requests, false, con)
}

// submitAll sends requests. It continues after an error of a dry run, so that all mistakes
// are found, and stops after any other error.
func (o *submitOptions) submitAll(ctx context.Context, client submitter, requests []submit.Request, dryRun bool, con *console.Console) ([]submit.Result, error) {
	var results []submit.Result
	var errs []error
	for i, req := range requests {
		req.DryRun = dryRun
		con.Progress("%s …", map[bool]string{true: "checking", false: "submitting"}[dryRun])
		result, err := client.Submit(ctx, req)
		con.Clear()
		for _, text := range result.Warnings {
			if !dryRun || len(requests) == 1 {
				con.Say("warning: %s", text)
			}
		}
		if err == nil {
			results = append(results, result)
			continue
		}
		if ctx.Err() != nil {
			return results, exitCode(exitInterrupt, problems(err, o.key)[0])
		}
		if errs = append(errs, problems(err, o.key)...); !dryRun {
			if i > 0 {
				con.Say("%d of %d jobs were submitted; repeat the command with --key %s to submit the rest: it creates no second one", i, len(requests), o.key)
			}
			break
		}
	}
	return results, errors.Join(errs...)
}
