package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/record/shard"
)

// shardsOptions are the flags of shards.
type shardsOptions struct {
	db     string
	output listing.Flags
}

func newShards() *cobra.Command {
	var o shardsOptions
	cmd := &cobra.Command{
		Use:   "shards",
		Short: "Show which recorder records what, with its load and lag",
		Long: "Recorders that run with --join share the work. A shard is a type in a namespace, or in all of them, of one cluster. The\n" +
			"command shows the recorders of each shard; those that have not caught up yet are in parentheses. A recorder that has\n" +
			"given no sign of life for half a lease is silent: nobody knows that it records, and others take over at the end of\n" +
			"the lease. LOAD is in revisions a minute. LAG is the time since the last write; API servers send bookmarks about every\n" +
			"minute, so a quiet shard stays below two minutes. A type that the file divides with uid-ranges has as many shards.\n\n" +
			"Fields of json, yaml, csv and ndjson: cluster, type, namespace, range, recorders, catchingUp, silent,\n" +
			"load, lagSeconds.",
		Example: "  vedette shards --db mysql://vedette@db/history\n\n" +
			"  # The shards that nobody records\n" +
			"  vedette shards -o ndjson | jq 'select(.recorders + .catchingUp == \"\")'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	o.output.AddFlags(cmd)
	return cmd
}

// shardDoc is the machine-readable form of a shard.
type shardDoc struct {
	Cluster    string  `json:"cluster"`
	Type       string  `json:"type"`
	Namespace  string  `json:"namespace"`
	Range      string  `json:"range"`
	Recorders  string  `json:"recorders"`
	CatchingUp string  `json:"catchingUp"`
	Silent     string  `json:"silent"`
	Load       int64   `json:"load"`
	LagSeconds float64 `json:"lagSeconds"`
}

// shardColumns are the columns of shards.
var shardColumns = listing.Columns{Always: []string{"CLUSTER", "TYPE", "NAMESPACE", "RANGE", "RECORDERS", "LOAD", "LAG"}, Wide: []string{"SINCE"}}

func (o *shardsOptions) run(ctx context.Context, con *console.Console) error {
	lp, err := listing.NewPrinter(con, o.output, shardColumns)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	shards, members, err := shard.List(ctx, d)
	if err != nil {
		return err
	}
	for i := range shards {
		if err := lp.Add(shardItem(&shards[i], d.Now())); err != nil {
			return err
		}
	}
	if err := lp.End(); err != nil {
		return err
	}
	if len(members) == 0 {
		con.Say("no recorder shares its work; run `vedette record --join`")
		return nil
	}
	for _, m := range members {
		verb := "records"
		if m.Silent {
			verb = "is silent and held"
		}
		con.Say("%s %s %d of %s; seen %s ago; version %s", m.Name, verb, m.Held, units.Count(m.Offered, "shard"), units.Duration(d.Now().Sub(m.Seen)), m.Program)
	}
	for i := range shards {
		if !shards[i].Recorded() {
			sayUnheld(con, &shards[i], d.Now())
		}
	}
	return nil
}

// sayUnheld says that nobody records a shard, because none of its holders gives signs of life.
func sayUnheld(con *console.Console, s *shard.Listed, now time.Time) {
	namespace, since := "", "it was never recorded"
	if s.Namespace != "" {
		namespace = " in " + s.Namespace
	}
	if !s.CoveredAt.IsZero() {
		since = fmt.Sprintf("the last write was %s ago", units.Duration(max(0, now.Sub(s.CoveredAt))))
	}
	con.Say("nobody records %s%s of %s now: %s", s.Type, namespace, s.Cluster, since)
}

// shardItem returns the line of a shard.
func shardItem(s *shard.Listed, now time.Time) listing.Item {
	var ready, late, silent, since []string
	for _, h := range s.Holders {
		switch {
		case h.Silent:
			silent = append(silent, h.Name)
		case h.Ready:
			ready = append(ready, h.Name)
		default:
			late = append(late, h.Name)
		}
		since = append(since, units.Local(h.Since))
	}
	names := strings.Join(ready, ",")
	if len(late) > 0 {
		names = strings.TrimSpace(fmt.Sprintf("%s (%s)", names, strings.Join(late, ",")))
	}
	if len(silent) > 0 {
		names = strings.TrimSpace(fmt.Sprintf("%s silent: %s", names, strings.Join(silent, ",")))
	}
	namespace, lag, seconds := s.Namespace, "never written", -1.0
	if namespace == "" {
		namespace = "all"
	}
	if !s.CoveredAt.IsZero() {
		seconds = max(0, now.Sub(s.CoveredAt).Seconds())
		lag = units.Duration(time.Duration(seconds * float64(time.Second)))
	}
	name := "shard/" + s.Cluster + "/" + s.Type.String() + "/" + namespace
	ranged := cmp.Or(s.UIDs.String(), "all")
	if !s.UIDs.IsAll() {
		name += "/" + s.UIDs.String()
	}
	return listing.Item{
		Cells: []string{s.Cluster, s.Type.String(), namespace, ranged, names, fmt.Sprint(s.Load), lag, strings.Join(since, ",")},
		Name:  name,
		Doc:   shardDoc{s.Cluster, s.Type.String(), s.Namespace, s.UIDs.String(), strings.Join(ready, ","), strings.Join(late, ","), strings.Join(silent, ","), s.Load, seconds},
	}
}
