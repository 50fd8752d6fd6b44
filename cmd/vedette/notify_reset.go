package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/feed"
)

func newNotifyReset() *cobra.Command {
	var db string
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Let notifiers continue from now, and skip the transitions that they missed",
		Long: "Notifiers share a cursor in the feed of transitions. It expires if no notifier runs until transitions are removed;\n" +
			"notifiers then end with an error. This command moves the cursor to the end of the feed. Nobody gets messages about the skipped\n" +
			"transitions; `vedette notify preview` shows those that are still in the history.",
		Example: "  vedette notify reset --yes --db sqlite:history.db",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return resetNotify(cmd.Context(), db, yes, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &db)
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "skip also what a notifier could still send")
	return cmd
}

func resetNotify(ctx context.Context, db string, yes bool, con *console.Console) error {
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	all, err := feed.Cursors(ctx, d)
	if err != nil {
		return err
	}
	c, found := feed.Summary(all, preflight.NotifyCursor)
	switch {
	case !found:
		return errors.New("no notifier has run on this database yet, so there is nothing to reset")
	case !c.Expired && c.Behind > 0 && !yes:
		return fmt.Errorf("a notifier could still read %s: run one, or add --yes to skip them", units.Count(int(c.Behind), "transition"))
	}
	if err := feed.Reset(ctx, d, preflight.NotifyCursor, feed.Now); err != nil {
		return err
	}
	con.Say("notifiers begin again from now; %s skipped", units.Count(int(c.Behind), "transition"))
	return nil
}
