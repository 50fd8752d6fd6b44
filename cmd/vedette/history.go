package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/record"
)

// historyOptions are the flags of history.
type historyOptions struct {
	readOptions
	filter filterOptions
	limit  int
	oldest bool
}

func newHistory() *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history [TYPE[,TYPE…]|TYPE/NAME]",
		Short: "Show every state that objects were in, also of those that are deleted",
		Long: "Show every state that an object was in, how long, and why; or list the changes of state of many objects, the newest\n" +
			"first. The database is asked, and not the cluster: objects that are deleted have a history too. Where something\n" +
			"was not seen, the history of an object says so.\n\n" +
			"Fields of json, yaml, csv and ndjson: kind (transition, or gap: something was not seen), cluster, type, namespace,\n" +
			"name, uid, version, from, to, fromRaw, toRaw, reason, message, happenedAt, seenAt, endedAt, seconds (how long it was\n" +
			"so), current, source, owner, queue, submitter. Times are RFC 3339.",
		Example: "  # One job\n" +
			"  vedette history job/train-7 -n ml --db sqlite:history.db\n\n" +
			"  # What failed within two hours\n" +
			"  vedette history jobs -A --since 2h --state Failed -l app=train\n\n" +
			"  # The pods of a job, for a spreadsheet\n" +
			"  vedette history pods -n ml --owner job/train-7 -o csv",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	o.addUID(cmd)
	o.filter.addFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.filter.states, "state", nil, "states that were come to: Running, Failed, …")
	f.IntVar(&o.limit, "limit", 0, "how many changes at most (default: all)")
	f.BoolVar(&o.oldest, "oldest-first", false, "list the oldest first")
	o.sheet.addFlags(cmd)
	return cmd
}

// transitionDoc is a transition for programs; or a gap, which has no states.
type transitionDoc struct {
	Kind       string  `json:"kind"`
	Cluster    string  `json:"cluster"`
	Type       string  `json:"type"`
	Namespace  string  `json:"namespace"`
	Name       string  `json:"name"`
	UID        string  `json:"uid"`
	Version    string  `json:"version"`
	From       string  `json:"from"`
	To         string  `json:"to"`
	FromRaw    string  `json:"fromRaw"`
	ToRaw      string  `json:"toRaw"`
	Reason     string  `json:"reason"`
	Message    string  `json:"message"`
	HappenedAt string  `json:"happenedAt"`
	SeenAt     string  `json:"seenAt"`
	EndedAt    string  `json:"endedAt"`
	Seconds    float64 `json:"seconds"`
	Current    bool    `json:"current"`
	Source     string  `json:"source"`
	Owner      string  `json:"owner"`
	Queue      string  `json:"queue"`
	Submitter  string  `json:"submitter"`
}

func (o *historyOptions) run(ctx context.Context, args []string, con *console) error {
	list := len(args) == 0 || len(args) == 1 && !strings.Contains(args[0], "/")
	columns := []string{"SINCE", "STATE", "FOR", "REASON", "MESSAGE", "VERSION", "SOURCE", "SEEN"}
	if list {
		columns = []string{"TIME", "TYPE", "NAME", "STATE", "FOR", "REASON", "MESSAGE", "VERSION", "SOURCE", "SEEN", "UID"}
	}
	wide := map[bool]int{false: 3, true: 4}[list]
	sh, err := newSheet(con, o.sheet, wide, columns...)
	if err != nil {
		return err
	}
	d, err := openDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	if list {
		err = o.list(ctx, d, strings.Join(args, ""), sh, con)
	} else {
		err = o.one(ctx, d, args, sh)
	}
	if err != nil {
		return err
	}
	return sh.end()
}

// list prints the changes of state of many objects.
func (o *historyOptions) list(ctx context.Context, d *record.Database, types string, sh *sheet, con *console) error {
	now := time.Now()
	f, err := o.filter.filter(ctx, d, &o.readOptions, types, now)
	if err != nil {
		return err
	}
	n := 0
	for c, err := range record.Walk(ctx, record.Paging{OldestFirst: o.oldest, Limit: pageOf(o.limit)}, func(ctx context.Context, p record.Paging) (record.Page[record.Change], error) {
		return d.ListTransitions(ctx, f, p)
	}) {
		if err != nil {
			return err
		}
		lasted := lasting(c.Transition, c.Object, now)
		err := sh.add(line{
			cells: []string{
				local(c.Happened), c.Object.Type.String(), c.Object.Namespace + "/" + c.Object.Name, change(c.Transition), length(lasted), c.Reason, oneLine(c.Message),
				c.Version.String(), c.Source.String(), local(c.Seen), c.Object.UID,
			},
			name: nameOf(c.Object), doc: describe(c.Object, c.Transition, lasted),
		})
		if err != nil {
			return err
		}
		if n++; n == o.limit {
			break
		}
	}
	if n == 0 {
		con.say("nothing is recorded of that")
	}
	return nil
}

// pageOf is how much to read at once, where so much is wanted; 0: all.
func pageOf(limit int) int {
	if limit <= 0 {
		return 500
	}
	return min(limit, 500)
}

// one prints the history of the objects that had a name, the oldest first.
func (o *historyOptions) one(ctx context.Context, d *record.Database, args []string, sh *sheet) error {
	objects, err := o.objects(ctx, d, args)
	if err != nil {
		return err
	}
	now := time.Now()
	f, err := o.filter.filter(ctx, d, &o.readOptions, "", now)
	if err != nil {
		return err
	}
	for i := len(objects) - 1; i >= 0; i-- {
		if err := o.timeline(ctx, d, objects[i], f, sh, now); err != nil {
			return err
		}
	}
	return nil
}

// timeline prints the history of one object, with the gaps that lie within.
func (o *historyOptions) timeline(ctx context.Context, d *record.Database, obj record.Object, f record.Filter, sh *sheet, now time.Time) error {
	title := fmt.Sprintf("%s %s/%s  uid %s", obj.Type, obj.Namespace, obj.Name, obj.UID)
	if obj.Owner.Kind != "" {
		title += "  of " + obj.Owner.Kind + "/" + obj.Owner.Name
	}
	if obj.Presence == "unknown" {
		title += "  (it can not be seen now)"
	}
	if err := sh.title(title); err != nil {
		return err
	}
	gaps, err := gapsOf(ctx, d, obj)
	if err != nil {
		return err
	}
	for t, err := range record.Walk(ctx, record.Paging{OldestFirst: true, Limit: 500}, func(ctx context.Context, p record.Paging) (record.Page[record.Transition], error) {
		return d.Transitions(ctx, obj.ID, p)
	}) {
		if err != nil {
			return err
		}
		for len(gaps) > 0 && gaps[0].From < t.Version {
			if err := sh.add(gapLine(obj, gaps[0], now)); err != nil {
				return err
			}
			gaps = gaps[1:]
		}
		if !wanted(f, t) {
			continue
		}
		lasted := lasting(t, obj, now)
		err := sh.add(line{
			cells: []string{local(t.Happened), label(t.To, t.ToRaw), length(lasted), t.Reason, oneLine(t.Message), t.Version.String(), t.Source.String(), local(t.Seen)},
			name:  nameOf(obj), doc: describe(obj, t, lasted),
		})
		if err != nil {
			return err
		}
	}
	for _, g := range gaps {
		if err := sh.add(gapLine(obj, g, now)); err != nil {
			return err
		}
	}
	return nil
}

// wanted reports whether a filter leaves a transition of an object that was named.
func wanted(f record.Filter, t record.Transition) bool {
	states := len(f.States) == 0
	for _, s := range f.States {
		states = states || string(s) == t.To
	}
	return states && !t.Happened.Before(f.Since) && (f.Until.IsZero() || t.Happened.Before(f.Until))
}

// gapsOf returns the open gaps within the life of an object, the oldest first.
func gapsOf(ctx context.Context, d *record.Database, obj record.Object) (gaps []record.Gap, err error) {
	f := record.GapFilter{Cluster: obj.ClusterUID, Types: []record.Type{obj.Type}, Namespace: obj.Namespace, Open: true, Since: obj.Created, Until: obj.Gone}
	for g, err := range record.Walk(ctx, record.Paging{OldestFirst: true}, func(ctx context.Context, p record.Paging) (record.Page[record.Gap], error) {
		return d.ListGaps(ctx, f, p)
	}) {
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, g)
	}
	return gaps, nil
}

func gapLine(obj record.Object, g record.Gap, now time.Time) line {
	why := "something may be missing here: " + causeText(g.Cause)
	return line{
		cells: []string{local(g.Began), "(gap)", lastingGap(g, now), g.Cause, strings.TrimSpace(why + " " + oneLine(g.Detail)), versions(g), "", local(g.Ended)},
		name:  nameOf(obj),
		doc: transitionDoc{
			Kind: "gap", Cluster: obj.Cluster, Type: obj.Type.String(), Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID, Version: g.To.String(), Reason: g.Cause, Message: g.Detail,
			HappenedAt: stamp(g.Began), SeenAt: stamp(g.Ended), EndedAt: stamp(g.Ended), Seconds: gapLength(g, now).Seconds(), Current: g.Ended.IsZero(), Source: "ledger",
		},
	}
}

// lasting is how long an object was in a state, or is up to now. A deletion does not
// last.
func lasting(t record.Transition, obj record.Object, now time.Time) time.Duration {
	switch {
	case !t.Ended.IsZero():
		return t.Ended.Sub(t.Happened)
	case !obj.Gone.IsZero(), obj.Presence != "there":
		return 0
	}
	return now.Sub(t.Happened)
}

func describe(obj record.Object, t record.Transition, lasted time.Duration) transitionDoc {
	return transitionDoc{
		Kind: "transition", Cluster: obj.Cluster, Type: obj.Type.String(), Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID, Version: t.Version.String(),
		From: t.From, To: t.To, FromRaw: t.FromRaw, ToRaw: t.ToRaw, Reason: t.Reason, Message: t.Message, HappenedAt: stamp(t.Happened), SeenAt: stamp(t.Seen), EndedAt: stamp(t.Ended),
		Seconds: lasted.Seconds(), Current: t.Ended.IsZero(), Source: t.Source.String(), Owner: ownerText(obj.Owner), Queue: obj.Queue, Submitter: obj.Submitter,
	}
}

func ownerText(o record.Owner) string {
	if o.Kind == "" {
		return ""
	}
	return o.Kind + "/" + o.Name
}

// nameOf is what kubectl's name format has.
func nameOf(obj record.Object) string { return obj.Type.Singular() + "/" + obj.Name }

// label is a state for people.
func label(common, raw string) string {
	switch {
	case common != "":
		return common
	case raw != "":
		return raw
	}
	return "-"
}

// change is "Queued -> Running".
func change(t record.Transition) string {
	to := label(t.To, t.ToRaw)
	if from := label(t.From, t.FromRaw); from != "-" {
		return from + " -> " + to
	}
	return to
}
