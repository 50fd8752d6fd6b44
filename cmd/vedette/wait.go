package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// waitOptions are the flags of wait.
type waitOptions struct {
	readOptions
	condition string
	timeout   time.Duration
	any       bool
	every     time.Duration
	baseline  baseline
}

// answersIn is how long the command waits for an answer of a cluster that no flag names.
const answersIn = 3 * time.Second

func newWait(c completions) *cobra.Command {
	o := waitOptions{every: 500 * time.Millisecond}
	cmd := &cobra.Command{
		Use:   "wait TYPE/NAME --for state=STATE[,STATE…]|deleted",
		Short: "Wait until an object has reached a state or is deleted",
		Long: "Wait until an object has reached a state or is deleted. The command reads the database, so a state that the object has\n" +
			"left counts, even if the object is deleted meanwhile. The object need not exist yet. An object that was deleted before\n" +
			"the command began counts only with --any or --uid: it may be that of an earlier run. If several objects had the name,\n" +
			"the last one counts.\n\n" +
			"The history may lack what happened last, so the command also asks the cluster of the kubeconfig when it begins, if that is the\n" +
			"recorded cluster and answers: an object that no longer existed there, or that another one of the name has replaced, does\n" +
			"not count. With --kubeconfig or --context, it fails if it cannot ask.\n\n" +
			exitHelp("wait"),
		Example: "  vedette wait job/train-7 -n ml --for state=Succeeded --timeout 2h --db sqlite:history.db\n\n" +
			"  # Any final state\n" +
			"  vedette wait job/train-7 -n ml --for state=Succeeded,Failed,Aborted --timeout -1s",
		Args: oneObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	c.add(cmd, func() *source.Flags { return &o.source }, suggestObjects)
	o.addUID(cmd)
	addConnection(cmd, &o.connect)
	f := cmd.Flags()
	f.StringVar(&o.condition, "for", "", "what to wait for: state=Succeeded, state=Succeeded,Failed, or deleted")
	f.BoolVar(&o.any, "any", false, "count an object that was deleted before the command began")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "how long to wait; 0 checks once, and a negative value waits for a week")
	return finishes(cmd)
}

// goal parses --for. It returns the states to wait for.
func goal(text string) ([]job.State, error) {
	kind, values, _ := strings.Cut(text, "=")
	switch {
	case strings.EqualFold(text, "deleted"), text == "delete":
		return []job.State{job.Deleted}, nil
	case kind == "state" && values != "":
		states, err := job.ParseStates(strings.Split(values, ","))
		if err != nil {
			return nil, fmt.Errorf("--for: %w", err)
		}
		return states, nil
	}
	return nil, fmt.Errorf("--for is %q; use state=Succeeded, state=Succeeded,Failed or deleted", text)
}

func (o *waitOptions) run(ctx context.Context, args []string, con *console.Console) error {
	states, err := goal(o.condition)
	if err != nil {
		return err
	}
	limit := o.timeout
	if limit < 0 {
		limit = 7 * 24 * time.Hour
	}
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	o.inNamespace()
	if err := o.askCluster(ctx, args); err != nil {
		return err
	}
	h, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	tick := time.NewTicker(o.every)
	defer tick.Stop()
	for {
		done, now, err := o.check(ctx, h, args, states, con)
		if err != nil && ctx.Err() == nil || done {
			return err
		}
		if limit == 0 {
			return exitCode(exitTimeout, fmt.Errorf("%s is not %s: %s", strings.Join(args, "/"), o.condition, now))
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return exitCode(exitTimeout, fmt.Errorf("%s did not reach %s within %v: %s", strings.Join(args, "/"), o.condition, limit, now))
		case <-ctx.Done():
			return exitCode(exitInterrupt, fmt.Errorf("interrupted; %s was not %s: %s", strings.Join(args, "/"), o.condition, now))
		}
	}
}

// compares reports whether objects of earlier runs are distinguished from others.
func (o *waitOptions) compares() bool { return !o.any && o.uid == "" }

// names reports whether a flag names a cluster.
func (o *waitOptions) names() bool { return o.connect.Kubeconfig+o.connect.Context != "" }

// askCluster asks the cluster for the objects that exist when the command begins. Without a
// flag that names a cluster, errors are ignored, and only a cluster with a known identity counts:
// the kubeconfig may be that of another one.
func (o *waitOptions) askCluster(ctx context.Context, args []string) error {
	if !o.compares() {
		return nil
	}
	within := answersIn
	if o.names() {
		within = timeout.FirstAnswer
	}
	if o.timeout > 0 {
		within = min(within, o.timeout)
	}
	namespace := o.namespace
	if o.allNamespaces {
		namespace = ""
	}
	list, err := listCluster(ctx, o.connect, within, args, namespace)
	switch {
	case o.names() && err != nil:
		return err
	case err == nil && (o.names() || list.identity != ""):
		o.baseline.cluster = list
	}
	return nil
}

// check reports whether the object has reached one of the states. now describes its current
// state.
func (o *waitOptions) check(ctx context.Context, h *source.History, args []string, states []job.State, con *console.Console) (done bool, now string, err error) {
	objects, err := o.objects(ctx, h, args)
	if err == nil || errors.Is(err, history.ErrUnknown) {
		o.baseline.read(objects)
	}
	if errors.Is(err, history.ErrUnknown) {
		return false, err.Error(), nil
	}
	if err == nil {
		err = source.OneCluster(objects)
	}
	if err != nil {
		return false, "", err
	}
	obj := objects[0]
	if o.names() && o.compares() && !o.baseline.cluster.of(&obj) {
		return false, "", fmt.Errorf("%s %s/%s was recorded in the cluster %s, and --kubeconfig and --context name another one", obj.Type, obj.Namespace, obj.Name, obj.Cluster)
	}
	var all []history.Transition
	for t, err := range h.TransitionsOf(ctx, obj.ID) {
		if err != nil {
			return false, "", err
		}
		all = append(all, t)
	}
	earlier, replaced := o.compares() && o.baseline.earlier(&obj, all), o.baseline.replaced(&obj)
	for _, t := range all {
		counts := !earlier || t.To == string(job.Deleted) && !replaced
		if counts && slices.Contains(states, job.State(t.To)) {
			return true, "", con.Print(printable.Sprintf("%s %s: %s at %s\n", obj.Type, obj.Namespace+"/"+obj.Name, t.To, units.Local(t.Happened)))
		}
	}
	switch {
	case earlier && replaced:
		return false, "the cluster has another object of this name, which is not recorded yet; --any counts the recorded one", nil
	case earlier:
		return false, "the last object of this name had been deleted when the command began; --any counts it", nil
	}
	now = fmt.Sprintf("it has been %s since %s", label(obj.State, obj.Raw), units.Local(obj.Since))
	why := ""
	if obj.Reason != "" {
		why = ": " + strings.TrimSpace(obj.Reason+" "+printable.OneLine(obj.Message))
	}
	final := job.State(obj.State).Final() && (obj.State == string(job.Deleted) || !slices.Contains(states, job.Deleted))
	if final {
		return true, now, exitCode(exitImpossible, fmt.Errorf("%s %s/%s can no longer reach %s: %s%s", obj.Type, obj.Namespace, obj.Name, o.condition, now, why))
	}
	return false, now + why, nil
}
