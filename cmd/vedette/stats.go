package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/history"
)

// statsOptions are the flags of stats.
type statsOptions struct {
	readOptions
	filter filterOptions
	top    int
}

func newStats(c completions) *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:   "stats [TYPE[,TYPE…]]",
		Short: "Show how long objects wait and run, and how they end",
		Long: "Show statistics for each type: the number of objects, their outcomes, how long they waited before they first ran, how\n" +
			"long they ran, the time spent in each state, and failures by queue, submitter and namespace. P50 is the median, and P90\n" +
			"the 90th percentile. Objects wait in the states Submitted and Queued, and not while they are on hold or start; those\n" +
			"that still wait or run count with their time so far. The command reads all transitions of the period, which takes about\n" +
			"10 s for 1,000,000.\n\n" +
			"Columns: OBJECTS is the number of objects that the line covers. OPEN is the number of those that still wait or run. ENDED\n" +
			"is the number of objects that ended in the period, and FAILED the number of those that failed. TIME is the total time\n" +
			"that the objects spent in a state; final states have none. P50, P90 and MAX describe the time that one object waited or\n" +
			"ran. A column that does not apply to a line is empty.\n\n" +
			"Fields of json, yaml, csv and ndjson: type, section (objects, outcome, waiting, running, state, queue, submitter,\n" +
			"namespace), name, count (OBJECTS or ENDED), open, failed, seconds, p50Seconds, p90Seconds, maxSeconds, objects, ended.",
		Example: "  # Jobs of one day\n" +
			"  vedette stats jobs -A --since 24h --db sqlite:history.db\n\n" +
			"  # One team, in March\n" +
			"  vedette stats jobs -A -l team=vision --since 2026-03-01 --until 2026-04-01 -o json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), strings.Join(args, ""), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	c.add(cmd, func() *source.Flags { return &o.source }, suggestTypes)
	o.filter.addFlags(cmd)
	cmd.Flags().IntVar(&o.top, "top", 10, "number of queues, submitters and namespaces to show, those with most failures first; 0 shows all")
	o.output.AddFlags(cmd)
	return cmd
}

// statsDoc is the machine-readable form of a line of statistics.
type statsDoc struct {
	Type       string  `json:"type"`
	Section    string  `json:"section"`
	Name       string  `json:"name"`
	Count      int     `json:"count"`
	Open       int     `json:"open"`
	Failed     int     `json:"failed"`
	Seconds    float64 `json:"seconds"`
	P50Seconds float64 `json:"p50Seconds"`
	P90Seconds float64 `json:"p90Seconds"`
	MaxSeconds float64 `json:"maxSeconds"`
	// Objects and Ended are the columns of the table. Count, which is older, is the one of
	// them that applies to the section.
	Objects int `json:"objects"`
	Ended   int `json:"ended"`
}

func (o *statsOptions) run(ctx context.Context, types string, con *console.Console) error {
	lp, err := listing.NewPrinter(con, o.output, listing.Columns{Always: []string{"WHAT", "NAME", "OBJECTS", "OPEN", "ENDED", "FAILED", "TIME", "P50", "P90", "MAX"}})
	if err != nil {
		return err
	}
	if err := source.CheckLimit("top", o.top); err != nil {
		return err
	}
	now := time.Now()
	f, err := o.filter.parse(now)
	if err != nil {
		return err
	}
	h, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	defer sayUnrecorded(ctx, con, h, o.cluster)
	f, err = o.filter.filter(ctx, h, &o.readOptions, types, f)
	if err != nil {
		return err
	}
	all, err := h.Stats(ctx, f, now, func(n int) { con.Progress("%d objects …", n) })
	con.Clear()
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := lp.Title(s.Type.String()); err != nil {
			return err
		}
		for _, doc := range o.lines(s) {
			if err := lp.Add(listing.Item{Cells: doc.cells(), Name: doc.Section + "/" + doc.Name, Doc: doc}); err != nil {
				return err
			}
		}
	}
	if len(all) == 0 {
		con.Say("no records match")
	}
	return lp.End()
}

// lines returns the statistics of one type, line by line.
func (o *statsOptions) lines(s history.TypeStats) (lines []statsDoc) {
	add := func(doc statsDoc) {
		doc.Type = s.Type.String()
		lines = append(lines, doc)
	}
	add(statsDoc{Section: "objects", Count: s.Objects, Objects: s.Objects})
	for _, st := range listing.StateOrder {
		if n := s.Outcomes[st]; n > 0 {
			add(statsDoc{Section: "outcome", Name: st, Count: n, Ended: n})
		}
	}
	for i, spread := range []history.Spread{s.Waiting, s.Running} {
		if spread.Count > 0 {
			add(statsDoc{
				Section: []string{"waiting", "running"}[i], Count: spread.Count, Objects: spread.Count, Open: spread.Open, P50Seconds: spread.P50.Seconds(), P90Seconds: spread.P90.Seconds(), MaxSeconds: spread.Max.Seconds(),
			})
		}
	}
	for _, st := range listing.StateOrder {
		if d := s.InState[st]; d > 0 && st != "" {
			add(statsDoc{Section: "state", Name: st, Seconds: d.Seconds()})
		}
	}
	for i, by := range []map[string]history.Ends{s.ByQueue, s.BySubmitter, s.ByNamespace} {
		var names []string
		for name := range by {
			if name != "" {
				names = append(names, name)
			}
		}
		slices.SortFunc(names, func(x, y string) int {
			if d := by[y].Failed - by[x].Failed; d != 0 {
				return d
			}
			return strings.Compare(x, y)
		})
		if o.top > 0 {
			names = names[:min(o.top, len(names))]
		}
		for _, name := range names {
			add(statsDoc{Section: []string{"queue", "submitter", "namespace"}[i], Name: name, Count: by[name].Ended, Ended: by[name].Ended, Failed: by[name].Failed})
		}
	}
	return lines
}

func (d statsDoc) cells() []string {
	number := func(n int, show bool) string {
		if !show {
			return ""
		}
		return fmt.Sprint(n)
	}
	seconds := func(s float64) string { return units.Duration(time.Duration(s * float64(time.Second))) }
	spread, ends := d.Section == "waiting" || d.Section == "running", d.Section == "queue" || d.Section == "submitter" || d.Section == "namespace"
	return []string{
		d.Section, d.Name, number(d.Objects, spread || d.Section == "objects"), number(d.Open, spread), number(d.Ended, ends || d.Section == "outcome"), number(d.Failed, ends), seconds(d.Seconds), seconds(d.P50Seconds), seconds(d.P90Seconds), seconds(d.MaxSeconds),
	}
}
