package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/send/stream"
)

// dividing is a command that divides the cursor of notifiers or of a stream.
type dividing struct {
	db     string
	cursor string
	none   error // the cursor does not exist
}

func newStreamDivide() *cobra.Command {
	var o dividing
	var name string
	cmd := &cobra.Command{
		Use:   "divide PARTITIONS",
		Short: "Let several replicas of a stream send at the same time",
		Long: "Each partition has the events of some objects, and one replica sends them, in order for each object. Running replicas\n" +
			"follow the new number within seconds. Every event is sent as before: none is lost. Partitions can be united, with a smaller\n" +
			"number, when they have reached the end of the feed.",
		Example: "  vedette stream divide 4 --db postgres://localhost/history\n" +
			"  vedette stream divide 1 --cursor jobs",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cursor, o.none = stream.CursorPrefix+name, fmt.Errorf("no stream named %q has run on this database; see --cursor", name)
			return o.run(cmd.Context(), args[0], console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	cmd.Flags().StringVar(&name, "cursor", "default", "name of the stream in the database")
	return cmd
}

func newNotifyDivide() *cobra.Command {
	o := dividing{cursor: preflight.NotifyCursor, none: errors.New("no notifier has run on this database yet, so there is nothing to divide")}
	cmd := &cobra.Command{
		Use:   "divide PARTITIONS",
		Short: "Let several notifiers plan messages at the same time",
		Long: "Notifiers always share the sending of messages. This command also divides the planning: each partition has the transitions of\n" +
			"some objects, and one notifier plans the messages about them. Running notifiers follow the new number within seconds.\n" +
			"Partitions can be united, with a smaller number, when they have reached the end of the feed.",
		Example: "  vedette notify divide 4 --db postgres://localhost/history",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	return cmd
}

func (o *dividing) run(ctx context.Context, partitions string, con *console.Console) error {
	n, err := strconv.Atoi(partitions)
	if err != nil || n < 1 || n > feed.MaxPartitions {
		return fmt.Errorf("the number of partitions is %q: want 1 to %d", partitions, feed.MaxPartitions)
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	err = feed.Divide(ctx, d, o.cursor, n)
	if errors.Is(err, feed.ErrNoCursor) {
		return o.none
	}
	if err != nil {
		return err
	}
	if n == 1 {
		con.Say("one replica at a time reads the feed")
	} else {
		con.Say("%d partitions; one replica at a time holds each", n)
	}
	return nil
}
