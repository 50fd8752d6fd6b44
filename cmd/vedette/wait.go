package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/internal/console"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/source"
	"github.com/vedette-io/vedette/internal/units"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
)

// waitOptions are the flags of wait.
type waitOptions struct {
	readOptions
	condition string
	timeout   time.Duration
	any       bool
	every     time.Duration
	began     time.Time
}

// Exit codes of wait.
const (
	exitTimeout    = 1
	exitImpossible = 2
	exitWaitFailed = 3
	exitInterrupt  = 130
)

func newWait(c completions) *cobra.Command {
	o := waitOptions{every: 500 * time.Millisecond}
	cmd := &cobra.Command{
		Use:   "wait TYPE/NAME --for state=STATE[,STATE…]|deleted",
		Short: "Wait until an object has reached a state or is deleted",
		Long: "Wait until an object has reached a state or is deleted. The command reads the database, so a state that the object has\n" +
			"left counts, even if the object is deleted meanwhile. The object need not exist yet. An object that was deleted before\n" +
			"the command began counts only with --any or --uid: it may be that of an earlier run. If several objects had the name,\n" +
			"the last one counts.\n\n" +
			"The exit code is 0 once the object has reached the state, 1 after the timeout, 2 if the object ended in another state\n" +
			"and can no longer reach this one, and 3 after an error.",
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
	f := cmd.Flags()
	f.StringVar(&o.condition, "for", "", "what to wait for: state=Succeeded, state=Succeeded,Failed, or deleted")
	f.BoolVar(&o.any, "any", false, "count an object that was deleted before the command began")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "how long to wait; 0 checks once, and a negative value waits for a week")
	return codeOfErrors(cmd, exitWaitFailed)
}

// goal parses --for. It returns the states to wait for.
func goal(text string) ([]string, error) {
	kind, values, _ := strings.Cut(text, "=")
	switch {
	case text == "deleted" || text == "delete":
		return []string{string(state.Deleted)}, nil
	case kind == "state" && values != "":
		all := []state.State{
			state.Submitted, state.Queued, state.Suspended, state.Starting, state.Running, state.Restarting, state.Succeeded, state.Failed, state.Aborted, state.Deleted,
		}
		states := strings.Split(values, ",")
		for _, s := range states {
			if !slices.Contains(all, state.State(s)) {
				return nil, fmt.Errorf("--for: unknown state %q; the states are %s", s, strings.Trim(fmt.Sprint(all), "[]"))
			}
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
	h, err := o.source.Open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	timeout := o.timeout
	if timeout < 0 {
		timeout = 7 * 24 * time.Hour
	}
	o.began = time.Now()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	tick := time.NewTicker(o.every)
	defer tick.Stop()
	for {
		done, now, err := o.check(ctx, h, args, states, con)
		if err != nil && ctx.Err() == nil || done {
			return err
		}
		if timeout == 0 {
			return exitCode(exitTimeout, fmt.Errorf("%s is not %s: %s", strings.Join(args, "/"), o.condition, now))
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return exitCode(exitTimeout, fmt.Errorf("%s did not reach %s within %v: %s", strings.Join(args, "/"), o.condition, timeout, now))
		case <-ctx.Done():
			return exitCode(exitInterrupt, fmt.Errorf("interrupted; %s was not %s: %s", strings.Join(args, "/"), o.condition, now))
		}
	}
}

// check reports whether the object has reached one of the states. now describes its current
// state.
func (o *waitOptions) check(ctx context.Context, h *source.History, args, states []string, con *console.Console) (done bool, now string, err error) {
	objects, err := o.objects(ctx, h, args)
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
	if obj.Presence == history.Deleted && obj.Gone.Before(o.began) && !o.any && o.uid == "" && !slices.Contains(states, string(state.Deleted)) {
		return false, fmt.Sprintf("the last object of this name was deleted at %s; --any counts it", units.Local(obj.Gone)), nil
	}
	for t, err := range h.TransitionsOf(ctx, obj.ID) {
		if err != nil {
			return false, "", err
		}
		if slices.Contains(states, t.To) {
			return true, "", con.Print(printable.Sprintf("%s %s: %s at %s\n", obj.Type, obj.Namespace+"/"+obj.Name, t.To, units.Local(t.Happened)))
		}
	}
	now = fmt.Sprintf("it has been %s since %s", label(obj.State, obj.Raw), units.Local(obj.Since))
	why := ""
	if obj.Reason != "" {
		why = ": " + strings.TrimSpace(obj.Reason+" "+printable.OneLine(obj.Message))
	}
	final := state.State(obj.State).Final() && (obj.State == string(state.Deleted) || !slices.Contains(states, string(state.Deleted)))
	if final {
		return true, now, exitCode(exitImpossible, fmt.Errorf("%s %s/%s can no longer reach %s: %s%s", obj.Type, obj.Namespace, obj.Name, o.condition, now, why))
	}
	return false, now + why, nil
}
