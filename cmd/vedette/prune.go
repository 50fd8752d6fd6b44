package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/retention"
)

func newPrune() *cobra.Command {
	var url string
	var o retentionFlags
	var letters messageRetention
	var preview bool
	var from *settings.Settings
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove history that is no longer needed",
		Long: "The flags say what is kept: by age, by the state of objects, by the size of the database and of kept logs. `vedette record`\n" +
			"does this periodically with the same settings; this command does it once, in small steps between which recorders write.\n" +
			"It never removes the current state of an object, the last revision of a present object, resume points or open gaps.",
		Example: "  # What would be removed\n" +
			"  vedette prune --keep 90d --keep-bodies 7d --db sqlite:history.db --dry-run\n\n" +
			"  # Keep failed jobs longer\n" +
			"  vedette prune --keep 30d --keep-state Failed=180d --db sqlite:history.db\n\n" +
			"  # Keep the jobs of some namespaces longer\n" +
			"  vedette prune --keep 30d --keep-rule 'namespace=prod-*; state=Failed: 400d' --db sqlite:history.db",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := o.policy(from)
			if err != nil {
				return err
			}
			keep, err := letters.duration(from)
			if err != nil {
				return err
			}
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			if p.Unlimited() && p.KeepFeed == 0 && keep == 0 {
				return errors.New("nothing to remove: set --keep, --keep-rule, --keep-state, --keep-bodies, --max-size, --keep-feed, --keep-logs-for, --max-logs or --keep-messages")
			}
			if keep > 0 {
				if err := pruneMessages(cmd.Context(), url, keep, preview, con); err != nil {
					return err
				}
			}
			if p.Unlimited() && p.KeepFeed == 0 {
				return nil
			}
			return prune(cmd.Context(), url, p, preview, con)
		},
	}
	from = settings.AddDatabase(cmd, &url)
	o.addFlags(cmd)
	letters.addFlags(cmd)
	cmd.Flags().BoolVar(&preview, "dry-run", false, "count what would be removed, and remove nothing")
	return cmd
}

// pruneMessages removes messages that ended before an age. A preview counts them.
func pruneMessages(ctx context.Context, url string, keep time.Duration, preview bool, con *console.Console) error {
	d, err := settings.OpenDatabase(ctx, url)
	if err != nil {
		return err
	}
	defer d.Close()
	before := time.Now().Add(-keep)
	if !preview {
		p, err := delivery.Prune(ctx, d, before)
		con.Say("removed: %s, %d mutes, %d silences, %d acts", units.Count(int(p.Deliveries), "message"), p.Mutes, p.Silences, p.Acts)
		return err
	}
	n := 0
	for one, err := range deliveryview.All(ctx, d, delivery.Filter{States: []delivery.State{delivery.Sent, delivery.Dead, delivery.Superseded, delivery.Dropped, delivery.Silenced}}) {
		if err != nil {
			return err
		}
		if one.NextAt.Before(before) {
			n++
		}
	}
	con.Say("would remove: %s", units.Count(n, "message"))
	return nil
}

func prune(ctx context.Context, url string, p retention.Policy, preview bool, con *console.Console) error {
	d, err := settings.OpenDatabase(ctx, url)
	if err != nil {
		return err
	}
	defer d.Close()
	do := retention.Prune
	if preview {
		do = retention.Preview
	}
	con.Progress("reading the history in %s …", d)
	result, err := do(ctx, d, p)
	con.Clear()
	switch {
	case err != nil:
		return err
	case result.Busy:
		return errors.New("another process is pruning this database: a recorder, or another `vedette prune`; nothing was removed")
	case preview:
		con.Say("would remove: %s", result)
	default:
		con.Say("removed: %s", result)
	}
	if result.Feed > 0 {
		con.Say("%d positions of the feed were removed", result.Feed)
	}
	for _, name := range result.Expired {
		con.Say("the cursor %s of the feed has expired after a week without use: its unread transitions are no longer kept", name)
	}
	con.Say("%s has %s", d, sizeOf(result.Size, p.MaxBytes))
	switch {
	case result.Excess > 0 && preview:
		con.Say("%s above the limit: the oldest revisions would be removed too", units.Size(result.Excess))
	case result.Excess > 0:
		con.Say("%s above the limit: the rest is needed or younger than an hour", units.Size(result.Excess))
	}
	return nil
}
