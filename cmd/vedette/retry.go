package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/submit"
)

// retryOptions are the flags of retry. Flags that submit also has mean the same there.
type retryOptions struct {
	submitOptions
	anyway bool
	source source.Flags
}

func newRetry(c completions) *cobra.Command {
	var o retryOptions
	cmd := &cobra.Command{
		Use:   "retry NAME|TYPE/NAME [--set PATH=VALUE…]",
		Short: "Submit a copy of a job that has ended",
		Long: "The copy has the fields with which the job was submitted, without those that servers and controllers wrote. It is linked\n" +
			"to the job that it repeats, and `vedette history` shows the chain of attempts. Its name is that of the first job\n" +
			"with the attempt: train-7-r2.\n\n" +
			"--set takes the path of a field of the job, as servers write it; image=VALUE sets the image of the only container\n" +
			"of its pods. With --db or VEDETTE_DB, a deleted job is copied from the history,\n" +
			"without the fields that the recorder does not store.\n\n" +
			"Each command creates a new copy, unless --key says otherwise. With --wait or --follow,\n" +
			"the exit code is that of the end of the copy.\n\n" + exitHelp("retry"),
		Example: "  vedette retry job/train-7\n" +
			"  vedette retry train-7 --set image=example.com/train:8 --set spec.parallelism=4 --follow\n\n" +
			"  # A deleted job\n" +
			"  vedette retry job/train-7 --db sqlite:history.db\n\n" +
			"  # See what would be submitted\n" +
			"  vedette retry job/train-7 --dry-run -o yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("name the job, such as `vedette retry job/train-7` (see `vedette retry --help`)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.namespace = o.templates.connect.Namespace
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.color)
			portal, err := o.source.Portal()
			if err != nil {
				return err
			}
			if portal != nil {
				if err := onlyCluster(cmd, map[string]string{"context": notContext}); err != nil {
					return err
				}
				return showRole(con, o.output, o.onPortal(cmd.Context(), portaljobs.New(portal, &o.source.Server, o.templates.connect, o.cluster), args[0], con))
			}
			if o.cluster != "" {
				return errNotCluster
			}
			return showRole(con, o.output, o.run(cmd.Context(), args[0], con))
		},
	}
	addConnection(cmd, &o.templates.connect)
	o.source.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.templates.connect.Namespace, "namespace", "n", "", "namespace of the job (default: that of the context)")
	f.StringVar(&o.cluster, "cluster", "", "cluster of the job, if the portal has several")
	f.StringVar(&o.name, "name", "", "name of the copy (default: that of the first job with the attempt, such as train-7-r2)")
	f.StringArrayVar(&o.sets, "set", nil, "a field of the copy, such as spec.parallelism=4; can be repeated")
	f.StringVar(&o.key, "key", "", "key of the request: two commands with one key create one job (default: a random key)")
	f.BoolVar(&o.anyway, "anyway", false, "copy the job although it has not ended")
	f.BoolVar(&o.dryRun, "dry-run", false, "have the server check the copy, and create nothing; -o yaml prints what it would store")
	f.StringVarP(&o.output, "output", "o", "", "format: yaml, json or name (default: one line)")
	f.BoolVar(&o.wait, "wait", false, "wait until the copy has ended, and print its states")
	f.BoolVar(&o.follow, "follow", false, "wait until the copy has ended, and print its states and logs")
	f.BoolVar(&o.any, "any", false, anyHelp)
	f.DurationVar(&o.timeout, "timeout", 0, "how long to wait (default: until the copy has ended)")
	f.StringVar(&o.color, "color", "auto", "colors: auto (on a terminal, unless NO_COLOR is set), always or never")
	c.add(cmd, func() *source.Flags { return &o.source }, suggestJob)
	return finishes(cmd)
}

func (o *retryOptions) run(ctx context.Context, name string, con *console.Console) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	cluster, err := kube.Connect(o.templates.connect)
	if err != nil {
		return err
	}
	defer cluster.Close()
	client := submit.New(cluster, submit.Config{Logger: slog.New(newRetryHandler(con))})
	of, attempts, err := o.find(ctx, client, name)
	if err != nil {
		return err
	}
	sets := o.sets
	if o.name != "" {
		sets = append(sets, "metadata.name="+o.name)
	}
	o.takeKey()
	options := submit.RetryOptions{Set: sets, Key: o.key, Attempts: attempts, Running: o.anyway, DryRun: o.dryRun}
	next := o.nextIn(cluster)
	results, err := o.printRetry(ctx, next, next("cancel", of), con, func() (submit.Result, error) { return client.Retry(ctx, of, options) })
	if err != nil || !o.wait && !o.follow {
		return err
	}
	return o.await(ctx, next, results, con, func(ctx context.Context, j *watchedJob) error { return o.awaitOne(ctx, cluster, j, con) })
}

// printRetry submits a copy, and prints the result. cancel is the command that ends the job.
func (o *retryOptions) printRetry(ctx context.Context, next commandFor, cancel string, con *console.Console, retry func() (submit.Result, error)) ([]submit.Result, error) {
	con.Progress("submitting …")
	result, err := retry()
	con.Clear()
	for _, text := range result.Warnings {
		con.Say("warning: %s", text)
	}
	switch {
	case isUnfinished(err):
		return nil, fmt.Errorf("%s (`%s`), or add --anyway", explain.Clause(err.Error()), cancel)
	case err != nil && ctx.Err() != nil:
		return nil, exitCode(exitInterrupt, problems(err, o.key)[0])
	case err != nil:
		return nil, errors.Join(problems(err, o.key)...)
	}
	results := []submit.Result{result}
	return results, o.print(next, results, con)
}

// isUnfinished reports whether an error means that the job to repeat has not ended.
func isUnfinished(err error) bool {
	var running *submit.NotFinishedError
	var p *api.Problem
	return errors.As(err, &running) || errors.As(err, &p) && p.Type == api.ProblemConflict && strings.Contains(p.Detail, "has not ended")
}

// onPortal repeats a job in the name of the person that the portal knows.
func (o *retryOptions) onPortal(ctx context.Context, jobs *portaljobs.Jobs, name string, con *console.Console) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	job, ref, err := jobs.Find(ctx, name)
	if err != nil {
		return err
	}
	o.takeKey()
	in := api.RetryRequest{Key: o.key, Set: o.sets, Running: o.anyway, DryRun: o.dryRun}
	if o.name != "" {
		in.Set = append(in.Set, "metadata.name="+o.name)
	}
	p := &portaljobs.Submitter{Jobs: jobs, Cluster: ref.Cluster}
	results, err := o.printRetry(ctx, jobs.Next, jobs.Next("cancel", job), con, func() (submit.Result, error) { return p.Retry(ctx, ref, in) })
	if err != nil || !o.wait && !o.follow {
		return err
	}
	return o.awaitOnPortal(ctx, p, results, con)
}

// find returns the job to repeat, from the cluster or, if it was deleted, from the history; and
// its highest attempt in the history.
func (o *retryOptions) find(ctx context.Context, client *submit.Client, name string) (submit.Job, int, error) {
	job, err := client.Find(ctx, name, o.templates.connect.Namespace)
	var unknown *submit.UnknownJobError
	switch {
	case o.source.DB == "" && errors.As(err, &unknown):
		return job, 0, fmt.Errorf("%w; --db finds it in the history if it was recorded", err)
	case o.source.DB == "", err != nil && !errors.As(err, &unknown):
		return job, 0, err
	}
	h, failed := source.OpenHistory(ctx, o.source.DB)
	if failed != nil {
		return job, 0, failed
	}
	defer h.Close()
	if err != nil {
		if job, err = o.recorded(ctx, h, client.Cluster(), name); err != nil {
			return job, 0, err
		}
	}
	chain, err := h.Attempts(ctx, history.Object{Type: history.Type{Group: job.Resource.Group, Resource: job.Resource.Name, Kind: job.Resource.Kind}, UID: job.UID})
	if errors.Is(err, history.ErrUnknown) {
		return job, 0, nil
	}
	last := 0
	for _, a := range chain {
		last = max(last, a.Number)
	}
	return job, last, err
}

// recorded returns the last job of a name and the cluster in the history.
func (o *retryOptions) recorded(ctx context.Context, h *source.History, cluster *kube.Cluster, name string) (none submit.Job, err error) {
	typ, rest, typed := strings.Cut(name, "/")
	words := job.Types()
	if typed {
		words, name = []string{typ}, rest
	}
	types, err := h.Types(ctx)
	if err != nil {
		return none, err
	}
	identity, _ := cluster.Identity(ctx, time.Time{}) // without the right, one recorded cluster is enough
	namespace := o.templates.connect.Namespace
	if namespace == "" {
		namespace = cluster.Namespace()
	}
	var found []history.Object
	for _, word := range words {
		candidates, err := history.FindTypes(types, word)
		if err != nil {
			continue // not recorded
		}
		for _, t := range candidates {
			page, err := h.Objects(ctx, history.ObjectName{Type: t, Namespace: namespace, Name: name, Cluster: identity}, history.Paging{Limit: 1})
			if err != nil {
				return none, err
			}
			if found = append(found, page.Items...); len(page.Items) > 0 {
				break
			}
		}
	}
	switch {
	case len(found) == 0:
		return none, fmt.Errorf("no job %s is in the namespace %s, and the history has none", name, namespace)
	case len(found) > 1:
		return none, fmt.Errorf("the history has %s and %s; name the type", source.NameOf(found[0]), source.NameOf(found[1]))
	}
	return readJob(ctx, h, cluster, found[0])
}

// readJob makes a job from the last recorded body of an object.
func readJob(ctx context.Context, h *source.History, cluster *kube.Cluster, obj history.Object) (job submit.Job, err error) {
	body, _, err := h.Body(ctx, obj.ID, 0)
	if err != nil {
		return job, fmt.Errorf("%s %s/%s: %w", obj.Type, obj.Namespace, obj.Name, err)
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(body, &object.Object); err != nil {
		return job, err
	}
	r, err := cluster.Resolve(ctx, obj.Type.String())
	if err != nil {
		return job, err
	}
	return submit.JobOf(r, object), nil
}
