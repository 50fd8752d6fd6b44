package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

func newNotify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Notify people about their jobs: check, test and run notifications",
		Long: "A file names the people, the channels and the rules. The notifier reads the transitions that `vedette record` writes,\n" +
			"and sends the messages that the rules call for. Each message is kept in the database until it is sent. A message that\n" +
			"cannot be sent becomes a dead letter: see `vedette deadletter`.",
		Example: "  # Check the file, and send a test message\n" +
			"  vedette notify check notify.yaml\n" +
			"  vedette notify test ops-hook --notify notify.yaml\n\n" +
			"  # See what the rules would have sent\n" +
			"  vedette notify preview --since 24h --notify notify.yaml --db sqlite:history.db\n\n" +
			"  # Record and notify in one process\n" +
			"  vedette record jobs,pods -A --notify notify.yaml --db sqlite:history.db\n\n" +
			"  # What waits, and how the channels are\n" +
			"  vedette notify ls --state waiting --db sqlite:history.db\n" +
			"  vedette notify channels",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newNotifyList(), newNotifyChannels(), newNotifyEnable(), newNotifyCheck(), newNotifySend(), newNotifyRun(), newNotifyReset(), newNotifyDivide(), newNotifyPreview(), newNotifyRecover(), newSilence())
	return cmd
}

func newNotifyList() *cobra.Command {
	var o deliveryListOptions
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List waiting and sent messages",
		Long: "The newest come first. The states are " + deliveryview.States() + ".\n" +
			"Fields of json, yaml, csv and ndjson: " + deliveryview.Fields,
		Example: "  # Waiting messages, with the time of their next try\n" +
			"  vedette notify ls --state waiting,behind --db sqlite:history.db\n\n" +
			"  # What a person got today\n" +
			"  vedette notify ls --person liwei --state sent --since 24h",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := deliveryview.ParseStates(o.states)
			if err != nil {
				return err
			}
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			return o.run(cmd.Context(), con, deliveryview.Columns, "no messages", states...)
		},
	}
	settings.AddDatabase(cmd, &o.db)
	o.which.AddFlags(cmd)
	cmd.Flags().StringSliceVar(&o.states, "state", nil, "only messages in a state, such as waiting,sending (default: all)")
	o.output.AddFlags(cmd)
	return cmd
}

func newNotifyChannels() *cobra.Command {
	var db string
	var output listing.Flags
	cmd := &cobra.Command{
		Use:   "channels",
		Short: "Show the state of the channels, and how many messages wait for each",
		Long: "A channel pauses after several failures, or when the other side asks for it. It is disabled when the other side says that\n" +
			"its end is gone; `vedette notify enable` puts it into use again. The list has the channels that ever had a message.\n\n" +
			"Fields of json, yaml, csv and ndjson: name, state, reason, pausedUntil, disabledAt, failures, held, waiting, sending, dead,\n" +
			"oldestAt.",
		Example: "  vedette notify channels --db sqlite:history.db",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listChannels(cmd.Context(), db, output, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &db)
	output.AddFlags(cmd)
	return cmd
}

func listChannels(ctx context.Context, db string, output listing.Flags, con *console.Console) error {
	lp, err := listing.NewPrinter(con, output, deliveryview.ChannelColumns)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	all, err := delivery.Channels(ctx, d)
	if err != nil {
		return d.Explain(err)
	}
	counts, err := delivery.Counts(ctx, d)
	if err != nil {
		return d.Explain(err)
	}
	now := time.Now()
	for i := range all {
		doc := deliveryview.NewChannelDocument(&all[i], counts, now)
		number := func(n int) string { return fmt.Sprint(n) }
		oldest := "-"
		if at, err := time.Parse(time.RFC3339Nano, doc.OldestAt); err == nil {
			oldest = units.Duration(now.Sub(at)) + " ago"
		}
		err := lp.Add(listing.Item{
			Cells: []string{doc.Name, deliveryview.ChannelState(&all[i], now), number(doc.Waiting), number(doc.Sending), number(doc.Held), number(doc.Dead), oldest, number(doc.Failures), printable.OneLine(doc.Reason)},
			Name:  "channel/" + doc.Name,
			Doc:   doc,
		})
		if err != nil {
			return err
		}
	}
	if len(all) == 0 {
		con.Say("no channel has had a message")
	}
	return lp.End()
}

func newNotifyEnable() *cobra.Command {
	var db string
	var by operatorFlags
	cmd := &cobra.Command{
		Use:   "enable CHANNEL",
		Short: "Enable a disabled or paused channel again",
		Long: "A channel is disabled when the other side says that its end is gone. Correct the channel first; the messages that wait\n" +
			"are then sent.",
		Example: "  vedette notify enable ops-hook --db sqlite:history.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return enable(cmd.Context(), db, args[0], by.name(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &db)
	by.addFlags(cmd)
	return cmd
}

func enable(ctx context.Context, db, name, by string, con *console.Console) error {
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	all, err := delivery.Channels(ctx, d)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range all {
		if c.Name == name {
			if err := delivery.Enable(ctx, d, name, by); err != nil {
				return err
			}
			con.Say("channel %s is in use again", name)
			return nil
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("no channel has had a message yet, so none is disabled")
	}
	return fmt.Errorf("no channel %q has had a message; those that had are %s", name, strings.Join(names, ", "))
}
