package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/history"
)

// gapsOptions are the flags of gaps.
type gapsOptions struct {
	readOptions
	since, until string
	all          bool
	limit        int
}

func newGaps(c completions) *cobra.Command {
	var o gapsOptions
	cmd := &cobra.Command{
		Use:   "gaps [TYPE[,TYPE…]]",
		Short: "Show where the history may be incomplete, and why",
		Long: "Show the intervals of time, and of versions, in which the recorder may have missed something: it was away for longer\n" +
			"than the API server keeps events, or an event could not be decoded. Healed gaps are not shown. Each recorder has gaps of its\n" +
			"own; another recorder may have seen the changes in them.\n\n" +
			"Fields of json, yaml, csv and ndjson: cluster, type, namespace, cause, fromVersion, toVersion, beganAt, endedAt, seconds,\n" +
			"healedAt, recorder, detail.",
		Example: "  vedette gaps --db sqlite:history.db\n\n" +
			"  # Gaps of one day, including healed ones\n" +
			"  vedette gaps jobs,pods --since 24h --all",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), strings.Join(args, ""), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.source.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "exclude gaps of other namespaces (default: all)")
	f.StringVar(&o.cluster, "cluster", "", "name or UID of a cluster")
	f.StringVar(&o.since, "since", "", "gaps that ended at this time or later: 2h, 3d (ago), 15:04, 2026-03-01")
	f.StringVar(&o.until, "until", "", "gaps that began before this time")
	f.BoolVar(&o.all, "all", false, "include healed gaps")
	f.IntVar(&o.limit, "limit", 0, "largest number of gaps (default: all)")
	o.output.AddFlags(cmd)
	c.add(cmd, func() *source.Flags { return &o.source }, suggestTypes)
	return cmd
}

// gapDoc is the machine-readable form of a gap.
type gapDoc struct {
	Cluster     string  `json:"cluster"`
	Type        string  `json:"type"`
	Namespace   string  `json:"namespace"`
	Cause       string  `json:"cause"`
	FromVersion string  `json:"fromVersion"`
	ToVersion   string  `json:"toVersion"`
	BeganAt     string  `json:"beganAt"`
	EndedAt     string  `json:"endedAt"`
	Seconds     float64 `json:"seconds"`
	HealedAt    string  `json:"healedAt"`
	Recorder    string  `json:"recorder"`
	Detail      string  `json:"detail"`
}

// gapColumns are the columns of gaps. The lines of run have a cell for each.
var gapColumns = listing.Columns{
	Always: []string{"BEGAN", "FOR", "TYPE", "NAMESPACE", "RECORDER", "CAUSE", "HEALED"},
	Wide:   []string{"VERSIONS", "DETAIL"},
}

func (o *gapsOptions) run(ctx context.Context, types string, con *console.Console) error {
	lp, err := listing.NewPrinter(con, o.output, gapColumns)
	if err != nil {
		return err
	}
	if err := source.CheckLimit("limit", o.limit); err != nil {
		return err
	}
	now, f := time.Now(), history.GapFilter{Cluster: o.cluster, Namespace: o.namespace, Open: !o.all}
	if f.Since, f.Until, err = units.ParsePeriod(o.since, o.until, now); err != nil {
		return err
	}
	h, err := o.source.Open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	defer sayUnrecorded(ctx, con, h, o.cluster)
	if f.Types, err = h.FindTypes(ctx, types); err != nil {
		return err
	}
	n := 0
	for g, err := range history.All(ctx, history.Paging{Limit: source.PageLimit(o.limit)}, func(ctx context.Context, p history.Paging) (history.Page[history.Gap], error) {
		return h.ListGaps(ctx, f, p)
	}) {
		if err != nil {
			return err
		}
		namespace := g.Namespace
		if namespace == "" {
			namespace = "all"
		}
		err := lp.Add(listing.Item{
			Cells: []string{units.Local(g.Began), lastingGap(g, now), g.Type.String(), namespace, g.Recorder, causeText(g.Cause), units.Local(g.Healed), versions(g), printable.OneLine(g.Detail)},
			Name:  "gap/" + versions(g),
			Doc: gapDoc{
				g.Cluster, g.Type.String(), g.Namespace, g.Cause, g.From.String(), g.To.String(), units.Timestamp(g.Began), units.Timestamp(g.Ended), gapLength(g, now).Seconds(), units.Timestamp(g.Healed), g.Recorder, g.Detail,
			},
		})
		if err != nil {
			return err
		}
		if n++; n == o.limit {
			break
		}
	}
	if n == 0 {
		con.Say("no gaps")
	}
	return lp.End()
}

// gapLength returns how long a gap lasted, or how long it has lasted.
func gapLength(g history.Gap, now time.Time) time.Duration {
	if g.Ended.IsZero() {
		return now.Sub(g.Began)
	}
	return g.Ended.Sub(g.Began)
}

func lastingGap(g history.Gap, now time.Time) string {
	text := units.Duration(gapLength(g, now))
	if g.Ended.IsZero() {
		text += ", ongoing"
	}
	return text
}

// versions returns "17-42", or "17-" while a gap lasts.
func versions(g history.Gap) string {
	if g.To == 0 {
		return g.From.String() + "-"
	}
	return g.From.String() + "-" + g.To.String()
}

// causeText explains a cause.
func causeText(cause string) string {
	switch cause {
	case history.CauseWindow:
		return "the recorder was away for longer than the server keeps events"
	case history.CauseDenied:
		return "the recorder lacked the rights to list and watch"
	case history.CauseAbsent:
		return "the server did not serve the type"
	case history.CauseRebuilt:
		return "another cluster replaced this one"
	case history.CauseRestored:
		return "the cluster was restored from a backup, and lost the changes since"
	case history.CauseInvalid:
		return "an object or an event was unusable"
	case history.CauseRefused:
		return "the database refused a revision or its content"
	case history.CauseUnordered:
		return "the server does not order versions, and a revision was not newer than the previous one"
	}
	return cause
}
