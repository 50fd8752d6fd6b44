package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// historyOptions are the flags of history.
type historyOptions struct {
	readOptions
	filter filterOptions
	limit  int
	oldest bool
}

func newHistory(c completions) *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history [TYPE[,TYPE…]|TYPE/NAME]",
		Short: "Show the states of objects over time, including deleted objects",
		Long: "Show every state of an object, how long it lasted, and why. Without a name, list the transitions of many objects, the\n" +
			"newest first. The command reads the database, not the cluster, so it also shows deleted objects. The history of one\n" +
			"object includes the gaps in which the recorder may have missed something. A job that was retried is followed by the\n" +
			"table of its attempts: how each ended, by whom it was submitted, and what was changed.\n\n" +
			"Fields of json, yaml, csv and ndjson: kind (transition, gap, content or reason), cluster, type, namespace, name, uid, version, from, to,\n" +
			"fromRaw, toRaw, reason, message, happenedAt, seenAt, endedAt, seconds (how long the state lasted), current, source,\n" +
			"owner, queue, submitter. Times are in RFC 3339.",
		Example: "  # One job\n" +
			"  vedette history job/train-7 -n ml --db sqlite:history.db\n\n" +
			"  # Failures of the last two hours\n" +
			"  vedette history jobs -A --since 2h --state Failed -l app=train\n\n" +
			"  # The pods of a job, for a spreadsheet\n" +
			"  vedette history pods -n ml --owner job/train-7 -o csv",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	c.add(cmd, func() *source.Flags { return &o.source }, suggestTypesOrObjects)
	o.addUID(cmd)
	o.filter.addFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.filter.states, "state", nil, "only transitions to these states: Running, Failed, …")
	f.IntVar(&o.limit, "limit", 0, "largest number of transitions (default: all)")
	f.BoolVar(&o.oldest, "oldest-first", false, "list the oldest transition first")
	o.output.AddFlags(cmd)
	return cmd
}

// timelineColumns are the columns of one object. The lines of timeline and gapLine have a
// cell for each.
var timelineColumns = listing.Columns{
	Always: []string{"SINCE", "STATE", "FOR", "REASON", "MESSAGE"},
	Wide:   []string{"VERSION", "SOURCE", "SEEN"},
}

// transitionColumns are the columns of many objects. The lines of list have a cell for each.
var transitionColumns = listing.Columns{
	Always: []string{"TIME", "TYPE", "NAME", "STATE", "FOR", "REASON", "MESSAGE"},
	Wide:   []string{"VERSION", "SOURCE", "SEEN", "UID"},
}

func (o *historyOptions) run(ctx context.Context, args []string, con *console.Console) error {
	list := len(args) == 0 || len(args) == 1 && !strings.Contains(args[0], "/")
	shown := timelineColumns
	if list {
		shown = transitionColumns
	}
	lp, err := listing.NewPrinter(con, o.output, shown)
	if err != nil {
		return err
	}
	now := time.Now()
	f, err := o.parse(list, now)
	if err != nil {
		return err
	}
	h, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	defer sayUnrecorded(ctx, con, h, o.cluster)
	if list {
		err = o.list(ctx, h, strings.Join(args, ""), f, lp, con, now)
	} else {
		err = o.one(ctx, h, args, f, lp, now)
	}
	if err == nil {
		err = lp.End()
	}
	if err != nil || list {
		return err
	}
	objects, err := o.objects(ctx, h, args)
	if err != nil {
		return err
	}
	return printAttempts(ctx, h, objects[0], con, o.output)
}

// parse returns the filter of the flags that need no history.
func (o *historyOptions) parse(list bool, now time.Time) (history.Filter, error) {
	err := source.CheckLimit("limit", o.limit)
	if err == nil && !list {
		err = o.filter.many()
	}
	if err != nil {
		return history.Filter{}, err
	}
	return o.filter.parse(now)
}

// list prints the transitions of many objects.
func (o *historyOptions) list(ctx context.Context, h *source.History, types string, f history.Filter, lp *listing.Printer, con *console.Console, now time.Time) error {
	f, err := o.filter.filter(ctx, h, &o.readOptions, types, f)
	if err != nil {
		return err
	}
	n := 0
	paging := history.Paging{Limit: source.PageLimit(o.limit)}
	if o.oldest {
		paging.Order = history.OldestFirst
	}
	for c, err := range history.All(ctx, paging, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return h.ListTransitions(ctx, f, p)
	}) {
		if err != nil {
			return err
		}
		lasted := lasting(c.Transition, c.Object, now)
		err := lp.Add(listing.Item{
			Cells: []string{
				units.Local(c.Happened), c.Object.Type.String(), c.Object.Namespace + "/" + c.Object.Name, change(c.Transition), units.Duration(lasted), c.Reason, printable.OneLine(c.Message),
				c.Version.String(), c.Source.String(), units.Local(c.Seen), c.Object.UID,
			},
			Name: source.NameOf(c.Object), Doc: describe(c.Object, c.Transition, lasted),
		})
		if err != nil {
			return err
		}
		if n++; n == o.limit {
			break
		}
	}
	if n == 0 {
		con.Say("no records match")
	}
	return nil
}

// one prints the history of all objects that had a name, the oldest object first.
func (o *historyOptions) one(ctx context.Context, h *source.History, args []string, f history.Filter, lp *listing.Printer, now time.Time) error {
	objects, err := o.objects(ctx, h, args)
	if err != nil {
		return err
	}
	for i := len(objects) - 1; i >= 0; i-- {
		if err := o.timeline(ctx, h, objects[i], f, lp, now); err != nil {
			return err
		}
	}
	return nil
}

// timeline prints the history of one object, including the gaps.
func (o *historyOptions) timeline(ctx context.Context, h *source.History, obj history.Object, f history.Filter, lp *listing.Printer, now time.Time) error {
	title := fmt.Sprintf("%s %s/%s  uid %s", obj.Type, obj.Namespace, obj.Name, obj.UID)
	if obj.Owner.Kind != "" {
		title += "  owner " + obj.Owner.Kind + "/" + obj.Owner.Name
	}
	switch obj.Presence {
	case history.Unknown, history.Unselected:
		title += "  (" + obj.Presence.String() + ")"
	}
	if err := lp.Title(title); err != nil {
		return err
	}
	if job.IsJobType(obj.Type.String()) {
		job, err := h.Job(ctx, obj.ID, now)
		if err != nil {
			return err
		}
		lp.Below(joblist.Summary(&job))
	}
	between, err := linesBetween(ctx, h, obj, now)
	if err != nil {
		return err
	}
	for t, err := range h.TransitionsOf(ctx, obj.ID) {
		if err != nil {
			return err
		}
		for len(between) > 0 && between[0].before <= t.Version {
			if err := lp.Add(between[0].Item); err != nil {
				return err
			}
			between = between[1:]
		}
		if !selected(f, t) {
			continue
		}
		lasted := lasting(t, obj, now)
		err := lp.Add(listing.Item{
			Cells: []string{units.Local(t.Happened), label(t.To, t.ToRaw), units.Duration(lasted), t.Reason, printable.OneLine(t.Message), t.Version.String(), t.Source.String(), units.Local(t.Seen)},
			Name:  source.NameOf(obj), Doc: describe(obj, t, lasted),
		})
		if err != nil {
			return err
		}
	}
	for _, line := range between {
		if err := lp.Add(line.Item); err != nil {
			return err
		}
	}
	return nil
}

// selected reports whether a transition matches the states and the times of a filter.
func selected(f history.Filter, t history.Transition) bool {
	states := len(f.States) == 0
	for _, s := range f.States {
		states = states || string(s) == t.To
	}
	return states && !t.Happened.Before(f.Since) && (f.Until.IsZero() || t.Happened.Before(f.Until))
}

// lasting returns how long an object was in a state, or how long it has been. A deletion has
// no duration.
func lasting(t history.Transition, obj history.Object, now time.Time) time.Duration {
	switch {
	case !t.Ended.IsZero():
		return t.Ended.Sub(t.Happened)
	case !obj.Gone.IsZero(), obj.Presence != history.Present:
		return 0
	}
	return now.Sub(t.Happened)
}

func describe(obj history.Object, t history.Transition, lasted time.Duration) transitionDoc {
	return transitionDoc{
		Kind: "transition", Cluster: obj.Cluster, Type: obj.Type.String(), Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID, Version: t.Version.String(),
		From: t.From, To: t.To, FromRaw: t.FromRaw, ToRaw: t.ToRaw, Reason: t.Reason, Message: t.Message, HappenedAt: units.Timestamp(t.Happened), SeenAt: units.Timestamp(t.Seen), EndedAt: units.Timestamp(t.Ended),
		Seconds: lasted.Seconds(), Current: t.Ended.IsZero(), Source: t.Source.String(), Owner: ownerText(obj.Owner), Queue: obj.Queue, Submitter: obj.Submitter,
	}
}

func ownerText(o history.Owner) string {
	if o.Kind == "" {
		return ""
	}
	return o.Kind + "/" + o.Name
}

// change returns "Queued -> Running".
func change(t history.Transition) string {
	to := label(t.To, t.ToRaw)
	if from := label(t.From, t.FromRaw); from != "-" {
		return from + " -> " + to
	}
	return to
}
