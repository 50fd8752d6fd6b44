package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/notify/delivery"
)

func newNotify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Tell people about their jobs: check, test and run notifications",
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
	cmd.AddCommand(newNotifyList(), newNotifyChannels(), newNotifyEnable(), newNotifyCheck(), newNotifySend(), newNotifyRun(), newNotifyReset(), newNotifyPreview(), newNotifyRecover())
	return cmd
}

func newNotifyList() *cobra.Command {
	var o deliveryListOptions
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List messages: those that wait, and those that were sent",
		Long: "The newest come first. The states are " + stateWords() + ".\n" +
			"Fields of json, yaml, csv and ndjson: " + deliveryFields,
		Example: "  # What waits, and when it is tried again\n" +
			"  vedette notify ls --state waiting,behind --db sqlite:history.db\n\n" +
			"  # What a person got today\n" +
			"  vedette notify ls --person liwei --state sent --since 24h",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := parseDeliveryStates(o.states)
			if err != nil {
				return err
			}
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			return o.run(cmd.Context(), con, deliveryColumns, "no messages", states...)
		},
	}
	addDatabase(cmd, &o.db)
	o.which.addFlags(cmd)
	cmd.Flags().StringSliceVar(&o.states, "state", nil, "only messages in a state, such as waiting,sending (default: all)")
	o.output.addFlags(cmd)
	return cmd
}

// channelDoc is the machine-readable form of a channel in use.
type channelDoc struct {
	Name        string `json:"name"`
	State       string `json:"state"`
	Reason      string `json:"reason"`
	PausedUntil string `json:"pausedUntil"`
	DisabledAt  string `json:"disabledAt"`
	Failures    int    `json:"failures"`
	Held        int    `json:"held"`
	Waiting     int    `json:"waiting"`
	Sending     int    `json:"sending"`
	Dead        int    `json:"dead"`
	OldestAt    string `json:"oldestAt"`
}

// channelColumns are the columns of the list of channels.
var channelColumns = columns{always: []string{"CHANNEL", "STATE", "WAITING", "SENDING", "HELD", "DEAD", "OLDEST"}, wide: []string{"FAILURES", "REASON"}}

func newNotifyChannels() *cobra.Command {
	var db string
	var output listFlags
	cmd := &cobra.Command{
		Use:   "channels",
		Short: "Show how the channels are, and how many messages wait for each",
		Long: "A channel pauses after several failures, or when the other side asks for it. It is disabled when the other side says that\n" +
			"its end is gone; `vedette notify enable` puts it into use again. The list has the channels that ever had a message.\n\n" +
			"Fields of json, yaml, csv and ndjson: name, state, reason, pausedUntil, disabledAt, failures, held, waiting, sending, dead,\n" +
			"oldestAt.",
		Example: "  vedette notify channels --db sqlite:history.db",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listChannels(cmd.Context(), db, output, newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	addDatabase(cmd, &db)
	output.addFlags(cmd)
	return cmd
}

func listChannels(ctx context.Context, db string, output listFlags, con *console) error {
	lp, err := newListPrinter(con, output, channelColumns)
	if err != nil {
		return err
	}
	d, err := openDatabase(ctx, db)
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
		doc := newChannelDoc(&all[i], counts, now)
		number := func(n int) string { return fmt.Sprint(n) }
		oldest := "-"
		if at, err := time.Parse(time.RFC3339Nano, doc.OldestAt); err == nil {
			oldest = length(now.Sub(at)) + " ago"
		}
		err := lp.add(line{
			cells: []string{doc.Name, channelState(&all[i], now), number(doc.Waiting), number(doc.Sending), number(doc.Held), number(doc.Dead), oldest, number(doc.Failures), oneLine(doc.Reason)},
			name:  "channel/" + doc.Name,
			doc:   doc,
		})
		if err != nil {
			return err
		}
	}
	if len(all) == 0 {
		con.say("no channel has had a message")
	}
	return lp.end()
}

func newChannelDoc(c *delivery.Channel, counts []delivery.Count, now time.Time) channelDoc {
	state, _, _ := strings.Cut(channelState(c, now), " ")
	doc := channelDoc{Name: c.Name, State: state, Reason: c.Reason, DisabledAt: stamp(c.DisabledAt), Failures: c.Failures}
	if c.PausedUntil.After(now) {
		doc.PausedUntil = stamp(c.PausedUntil)
	}
	var oldest time.Time
	for _, n := range counts {
		if n.Channel != c.Name {
			continue
		}
		switch n.State {
		case delivery.Held:
			doc.Held += n.N
		case delivery.Behind, delivery.Waiting:
			doc.Waiting += n.N
			if oldest.IsZero() || n.Oldest.Before(oldest) {
				oldest = n.Oldest
			}
		case delivery.Sending:
			doc.Sending += n.N
		case delivery.Dead:
			doc.Dead += n.N
		}
	}
	doc.OldestAt = stamp(oldest)
	return doc
}

// channelState returns "running", "broken until 10:42:11", "throttled until …" or "disabled".
func channelState(c *delivery.Channel, now time.Time) string {
	switch {
	case !c.DisabledAt.IsZero():
		return "disabled"
	case c.PausedUntil.After(now):
		return c.Cause.String() + " until " + c.PausedUntil.Local().Format(time.TimeOnly)
	}
	return delivery.Running.String()
}

func newNotifyEnable() *cobra.Command {
	var db string
	var by operatorFlags
	cmd := &cobra.Command{
		Use:   "enable CHANNEL",
		Short: "Put a disabled or paused channel into use again",
		Long: "A channel is disabled when the other side says that its end is gone. Correct the channel first; the messages that wait\n" +
			"are then sent.",
		Example: "  vedette notify enable ops-hook --db sqlite:history.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return enable(cmd.Context(), db, args[0], by.name(), newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	addDatabase(cmd, &db)
	by.addFlags(cmd)
	return cmd
}

func enable(ctx context.Context, db, name, by string, con *console) error {
	d, err := openDatabase(ctx, db)
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
			con.say("channel %s is in use again", name)
			return nil
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("no channel has had a message yet, so none is disabled")
	}
	return fmt.Errorf("no channel %q has had a message; those that had are %s", name, strings.Join(names, ", "))
}
