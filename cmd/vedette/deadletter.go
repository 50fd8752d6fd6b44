package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

func newDeadletter() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "deadletter",
		Aliases: []string{"deadletters"},
		Short:   "Show messages that could not be sent, and send them again",
		Long: "A message becomes a dead letter when its last try fails, or when a channel rejects it permanently. It stays until it\n" +
			"is sent again, is dropped, or is older than the retention of messages.",
		Example: "  vedette deadletter ls --db sqlite:history.db\n  vedette deadletter show 17\n  vedette deadletter replay 17",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDeadletterList(), newDeadletterShow(), newDeadletterReplay(), newDeadletterDrop())
	return cmd
}

// deliveryListOptions are the flags of lists of deliveries.
type deliveryListOptions struct {
	db     string
	which  deliveryview.Flags
	states []string
	output listing.Flags
}

func newDeadletterList() *cobra.Command {
	var o deliveryListOptions
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List the messages that could not be sent",
		Long:    "The newest come first. Fields of json, yaml, csv and ndjson: " + deliveryview.Fields,
		Example: "  vedette deadletter ls --db sqlite:history.db\n\n" +
			"  # Those of one channel that failed today, with their keys\n" +
			"  vedette deadletter ls --channel ops-hook --since 24h -o wide",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			return o.run(cmd.Context(), con, deliveryview.DeadLetterColumns, "no dead letters", delivery.Dead)
		},
	}
	settings.AddDatabase(cmd, &o.db)
	o.which.AddFlags(cmd)
	o.output.AddFlags(cmd)
	return cmd
}

// run lists deliveries. It prints the text nothing if the list is empty.
func (o *deliveryListOptions) run(ctx context.Context, con *console.Console, c listing.Columns, nothing string, states ...delivery.State) error {
	lp, err := listing.NewPrinter(con, o.output, c)
	if err != nil {
		return err
	}
	now := time.Now()
	f, err := o.which.Filter(now, states...)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	n := 0
	for one, err := range deliveryview.All(ctx, d, f) {
		if err != nil {
			return err
		}
		items, err := deliveryview.Items(ctx, d, &one)
		if err != nil {
			return err
		}
		if err := lp.Add(deliveryview.ItemOf(&one, items, len(c.Always) == len(deliveryview.Columns.Always), now)); err != nil {
			return err
		}
		if n++; n == o.which.Limit {
			break
		}
	}
	if n == 0 {
		con.Say("%s", nothing)
	}
	return lp.End()
}

// deadletterOptions are the flags of the commands that change dead letters.
type deadletterOptions struct {
	db      string
	which   deliveryview.Flags
	all     bool
	by      operatorFlags
	confirm confirmFlags
}

func (o *deadletterOptions) addFlags(cmd *cobra.Command, does string) {
	settings.AddDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, does+" all dead letters, or those that --channel, --person and --since select")
	f.StringVar(&o.which.Channel, "channel", "", "with --all, only those of a channel")
	f.StringVar(&o.which.Person, "person", "", "with --all, only those to a person")
	f.StringVar(&o.which.Since, "since", "", "with --all, only those that failed at this time or later: 2h, 3d (ago), 15:04, 2026-03-01")
	o.by.addFlags(cmd)
	o.confirm.addFlags(cmd)
}

func newDeadletterReplay() *cobra.Command {
	var o deadletterOptions
	cmd := &cobra.Command{
		Use:   "replay ID…|--all",
		Short: "Send dead letters again",
		Long:  "The notifier sends the messages again, in any order. They keep their keys and are marked as late.",
		Example: "  vedette deadletter replay 17 18 --db sqlite:history.db\n\n" +
			"  # Everything that failed since noon on a channel\n" +
			"  vedette deadletter replay --all --channel ops-hook --since 12:00 --yes",
		Args: func(_ *cobra.Command, args []string) error { return o.checkArgs(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args, act{"sends %s again", "%s will be sent again", delivery.Replay})
		},
	}
	o.addFlags(cmd, "send")
	return cmd
}

func newDeadletterDrop() *cobra.Command {
	var o deadletterOptions
	cmd := &cobra.Command{
		Use:     "drop ID…|--all",
		Short:   "Discard dead letters",
		Long:    "Nobody gets the messages. They are no longer counted or listed as dead letters.",
		Example: "  vedette deadletter drop 17 --db sqlite:history.db",
		Args:    func(_ *cobra.Command, args []string) error { return o.checkArgs(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args, act{"drops %s", "dropped %s", delivery.Drop})
		},
	}
	o.addFlags(cmd, "drop")
	return cmd
}

func (o *deadletterOptions) checkArgs(args []string) error {
	switch {
	case o.all && len(args) > 0:
		return errors.New("--all and numbers exclude each other: name the dead letters, or use --all")
	case !o.all && len(args) == 0:
		return errors.New("name the numbers that `vedette deadletter ls` shows, or use --all")
	case !o.all && o.which != deliveryview.Flags{}:
		return errors.New("--channel, --person and --since select among all dead letters: they need --all")
	}
	_, err := parseNumbers(args)
	return err
}

// act describes the effect of a command on dead letters.
type act struct {
	does, did string // with a place for "3 messages"
	do        func(ctx context.Context, d *sqldb.DB, by string, ids ...int64) (int, error)
}

// changeAtOnce is the maximum number of dead letters in one transaction.
const changeAtOnce = 500

func (o *deadletterOptions) run(cmd *cobra.Command, args []string, a act) error {
	ctx, con := cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
	ids, err := parseNumbers(args)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	if o.all {
		if ids, err = o.selected(ctx, d); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		con.Say("no dead letters")
		return nil
	}
	return o.change(ctx, d, ids, a, cmd.InOrStdin(), con)
}

// selected returns the numbers of the dead letters that the flags select.
func (o *deadletterOptions) selected(ctx context.Context, d *sqldb.DB) (ids []int64, err error) {
	f, err := o.which.Filter(time.Now(), delivery.Dead)
	if err != nil {
		return nil, err
	}
	for one, err := range deliveryview.All(ctx, d, f) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, one.ID)
	}
	return ids, nil
}

func (o *deadletterOptions) change(ctx context.Context, d *sqldb.DB, ids []int64, a act, in io.Reader, con *console.Console) error {
	if err := o.confirm.confirm(in, con, len(ids), fmt.Sprintf(a.does, units.Count(len(ids), "message"))); err != nil {
		return err
	}
	done := 0
	for from := 0; from < len(ids); from += changeAtOnce {
		n, err := a.do(ctx, d, o.by.name(), ids[from:min(from+changeAtOnce, len(ids))]...)
		done += n
		if err != nil {
			return fmt.Errorf("%d of %s were changed: %w", done, units.Count(len(ids), "dead letter"), err)
		}
	}
	con.Say(a.did, units.Count(done, "message"))
	if left := len(ids) - done; left > 0 && !o.all {
		return fmt.Errorf("%s not a dead letter: `vedette deadletter ls` lists them", amount(left, len(ids)))
	}
	return nil
}

// amount returns "3 of 5 are" or "1 of 5 is".
func amount(n, of int) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d of the %d numbers %s", n, of, verb)
}
