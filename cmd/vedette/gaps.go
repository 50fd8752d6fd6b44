package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/record"
)

// gapsOptions are the flags of gaps.
type gapsOptions struct {
	readOptions
	since, until string
	all          bool
	limit        int
}

func newGaps() *cobra.Command {
	var o gapsOptions
	cmd := &cobra.Command{
		Use:   "gaps [TYPE[,TYPE…]]",
		Short: "Show when something was not seen, and why",
		Long: "Show the stretches of time, and of versions, of which not everything was seen: the recorder was away for longer than\n" +
			"the server remembers, or an event could not be read. Gaps that another recorder has filled are left out.\n\n" +
			"Fields of json, yaml, csv and ndjson: cluster, type, namespace, cause, fromVersion, toVersion, beganAt, endedAt, seconds,\n" +
			"healedAt, recorder, detail.",
		Example: "  vedette gaps --db sqlite:history.db\n\n" +
			"  # Of a day, also those that were filled\n" +
			"  vedette gaps jobs,pods --since 24h --all",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), strings.Join(args, ""), newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	addDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "leave out gaps of other namespaces (default: all)")
	f.StringVar(&o.cluster, "cluster", "", "name or UID of a cluster")
	f.StringVar(&o.since, "since", "", "gaps that ended from this time on: 2h, 3d (ago), 15:04, 2026-03-01")
	f.StringVar(&o.until, "until", "", "gaps that began before this time")
	f.BoolVar(&o.all, "all", false, "also those that were filled")
	f.IntVar(&o.limit, "limit", 0, "how many at most (default: all)")
	o.sheet.addFlags(cmd)
	return cmd
}

// gapDoc is a gap for programs.
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

func (o *gapsOptions) run(ctx context.Context, types string, con *console) error {
	sh, err := newSheet(con, o.sheet, 3, "BEGAN", "FOR", "TYPE", "NAMESPACE", "CAUSE", "HEALED", "VERSIONS", "RECORDER", "DETAIL")
	if err != nil {
		return err
	}
	d, err := openDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	now, f := time.Now(), record.GapFilter{Cluster: o.cluster, Namespace: o.namespace, Open: !o.all}
	if f.Types, err = o.types(ctx, d, types); err != nil {
		return err
	}
	if f.Since, err = parseTime(o.since, now); err == nil {
		f.Until, err = parseTime(o.until, now)
	}
	if err != nil {
		return err
	}
	n := 0
	for g, err := range record.Walk(ctx, record.Paging{Limit: pageOf(o.limit)}, func(ctx context.Context, p record.Paging) (record.Page[record.Gap], error) {
		return d.ListGaps(ctx, f, p)
	}) {
		if err != nil {
			return err
		}
		namespace := g.Namespace
		if namespace == "" {
			namespace = "all"
		}
		err := sh.add(line{
			cells: []string{local(g.Began), lastingGap(g, now), g.Type.String(), namespace, causeText(g.Cause), local(g.Healed), versions(g), g.Recorder, oneLine(g.Detail)},
			name:  "gap/" + versions(g),
			doc: gapDoc{
				g.Cluster, g.Type.String(), g.Namespace, g.Cause, g.From.String(), g.To.String(), stamp(g.Began), stamp(g.Ended), gapLength(g, now).Seconds(), stamp(g.Healed), g.Recorder, g.Detail,
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
		con.say("there are no gaps")
	}
	return sh.end()
}

// gapLength is how long a gap was, or is up to now.
func gapLength(g record.Gap, now time.Time) time.Duration {
	if g.Ended.IsZero() {
		return now.Sub(g.Began)
	}
	return g.Ended.Sub(g.Began)
}

func lastingGap(g record.Gap, now time.Time) string {
	text := length(gapLength(g, now))
	if g.Ended.IsZero() {
		text += ", lasts"
	}
	return text
}

// versions is "17-42"; "17-" while a gap lasts.
func versions(g record.Gap) string {
	if g.To == 0 {
		return g.From.String() + "-"
	}
	return g.From.String() + "-" + g.To.String()
}

// causeText says what a cause means.
func causeText(cause string) string {
	switch cause {
	case record.CauseWindow:
		return "nobody looked for longer than the server remembers"
	case record.CauseDenied:
		return "the rights to look were missing"
	case record.CauseAbsent:
		return "the type was not served"
	case record.CauseRebuilt:
		return "another cluster stands there"
	case record.CauseInvalid:
		return "an object or event could not be read"
	case record.CauseRefused:
		return "the database did not take a revision"
	case record.CauseUnordered:
		return "the server does not order its versions, and a revision was not newer than the one before it"
	}
	return cause
}
