package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/send/stream"
)

func newStreamReset() *cobra.Command {
	var db, cursor, to string
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Move a stream to the oldest transition of the feed, or to its end",
		Long: "A stream that did not run for so long that transitions were removed ends with an error. This command moves it: with\n" +
			"--from oldest, events that were sent before are sent again, with the same IDs; with --from now, those that were\n" +
			"not sent are skipped.",
		Example: "  vedette stream reset --from oldest --db sqlite:history.db\n" +
			"  vedette stream reset --from now --cursor jobs",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return resetStream(cmd.Context(), db, cursor, to, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &db)
	cmd.Flags().StringVar(&cursor, "cursor", "default", "name of the stream in the database")
	cmd.Flags().StringVar(&to, "from", "", "where the stream continues: oldest or now")
	return cmd
}

func resetStream(ctx context.Context, db, cursor, from string, con *console.Console) error {
	start, err := parseStart(from)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	name := stream.CursorPrefix + cursor
	skipped, err := behind(ctx, d, name)
	if err != nil {
		return err
	}
	err = feed.Reset(ctx, d, name, start)
	switch {
	case errors.Is(err, feed.ErrNoCursor):
		return fmt.Errorf("no stream named %q has run on this database; see --cursor", cursor)
	case err != nil:
		return err
	case start == feed.Now:
		con.Say("the stream continues from now; %s skipped", units.Count(int(skipped), "transition"))
	default:
		con.Say("the stream continues with the oldest transition of the feed")
	}
	return nil
}
