package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// backfillOptions are the flags of stream backfill.
type backfillOptions struct {
	db           string
	sink         sinkFlags
	since, until string
	cluster      string
	namespace    string
}

func newStreamBackfill() *cobra.Command {
	var o backfillOptions
	cmd := &cobra.Command{
		Use:   "backfill",
		Short: "Send the transitions of the past, and end",
		Long: "The command sends transitions from the history, the oldest first. Their IDs are those that `vedette stream` uses, so a\n" +
			"consumer that ignores repeated IDs may get both. After an error, run it again with the time that it printed last.",
		Example: "  vedette stream backfill --to nats://localhost:4222 --since 720h --db sqlite:history.db\n\n" +
			"  # One day\n" +
			"  vedette stream backfill --to kafka://localhost:9092/jobs --since 2026-11-01 --until 2026-11-02",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "auto"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	o.sink.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "begin of the past: an age such as 24h, or a time")
	f.StringVar(&o.until, "until", "", "end of the past: an age or a time (default: now)")
	f.StringVar(&o.cluster, "cluster", "", "only this cluster, by name or UID (default: all)")
	f.StringVarP(&o.namespace, "namespace", "n", "", "only this namespace (default: all)")
	return cmd
}

func (o *backfillOptions) run(ctx context.Context, con *console.Console) error {
	f := history.Filter{Cluster: o.cluster, Namespace: o.namespace}
	now := time.Now()
	if o.since == "" {
		return errors.New("--since is missing: use an age such as --since 720h, or a time")
	}
	var err error
	if f.Since, err = units.ParseTime(o.since, now); err != nil {
		return fmt.Errorf("--since: %w", err)
	}
	f.Until = now
	if o.until != "" {
		if f.Until, err = units.ParseTime(o.until, now); err != nil {
			return fmt.Errorf("--until: %w", err)
		}
	}
	sink, err := o.sink.open()
	if err != nil {
		return err
	}
	defer func() { _ = sink.Close() }()
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	con.Say("transitions of %s since %s go to %s", d, f.Since.UTC().Format(time.RFC3339), sink)
	sent, err := o.send(ctx, con, d, sink, f)
	if err != nil {
		return err
	}
	con.Say("sent %s", units.Count(sent, "event"))
	return nil
}

// send sends the past. An error names the place to continue from.
func (o *backfillOptions) send(ctx context.Context, con *console.Console, d *sqldb.DB, sink stream.Sink, f history.Filter) (int, error) {
	var last time.Time
	sent, err := stream.Backfill(ctx, d, sink, f, func(e *stream.Event, sent int) {
		last = e.Time
		con.Progress("%s, up to %s …", units.Count(sent, "event"), last.Format(time.RFC3339))
	})
	if err != nil && !last.IsZero() {
		return sent, fmt.Errorf("%w; continue with --since %s", err, last.Format(time.RFC3339Nano))
	}
	return sent, err
}
