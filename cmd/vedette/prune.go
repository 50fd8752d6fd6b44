package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/record"
)

func newPrune() *cobra.Command {
	var url string
	var o keepOptions
	var dry bool
	var from *settled
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove what need not be kept of the history",
		Long: "Remove what need not be kept of the history: by age, by the state that objects ended in, by the size of the database.\n" +
			"`vedette record` does so by itself with the same settings; this is for once. It takes small steps and pauses after\n" +
			"each, so that recorders go on beside it. What objects are now is never removed, nor the last revision of one that is\n" +
			"there, nor what is needed to resume, nor gaps that are open.",
		Example: "  # What would go\n" +
			"  vedette prune --keep 90d --keep-bodies 7d --db sqlite:history.db --dry-run\n\n" +
			"  # Failed jobs stay longer\n" +
			"  vedette prune --keep 30d --keep-state Failed=180d --db sqlite:history.db",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := o.retention(from)
			if err != nil {
				return err
			}
			if r.Unlimited() {
				return errors.New("nothing is said to go: take --keep, --keep-state, --keep-bodies or --max-size")
			}
			return prune(cmd.Context(), url, r, dry, newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	from = addDatabase(cmd, &url)
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "count what would be removed, and remove nothing")
	return cmd
}

func prune(ctx context.Context, url string, r record.Retention, dry bool, con *console) error {
	d, err := openDatabase(ctx, url)
	if err != nil {
		return err
	}
	defer d.Close()
	do := d.Prune
	if dry {
		do = d.PruneDry
	}
	con.progress("looking through %s …", d)
	done, err := do(ctx, r)
	con.clear()
	switch {
	case err != nil:
		return err
	case done.Busy:
		return errors.New("somebody else is at it: a recorder with --keep or --max-size, or another prune; nothing was done")
	case dry:
		con.say("would remove: %s", done)
	default:
		con.say("removed: %s", done)
	}
	con.say("%s has %s", d, sizeOf(done.Size, r.MaxBytes))
	switch {
	case done.Over > 0 && dry:
		con.say("%s more than allowed: the oldest would go too", bytesOf(done.Over))
	case done.Over > 0:
		con.say("%s more than allowed: what is left is needed, or of the last hour", bytesOf(done.Over))
	}
	return nil
}
