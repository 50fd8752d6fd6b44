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
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// notifyRecoverOptions are the flags of notify recover.
type notifyRecoverOptions struct {
	db             string
	channel, since string
	by             operatorFlags
	confirm        confirmFlags
}

func newNotifyRecover() *cobra.Command {
	var o notifyRecoverOptions
	cmd := &cobra.Command{
		Use:   "recover --channel CHANNEL --since TIME",
		Short: "Send the dead letters of a channel again",
		Long: "The notifier sends all dead letters of the channel since then again, in any order. They keep their keys and are marked as\n" +
			"late. The command also ends a pause of the channel. Use it when the channel works again after an outage.",
		Example: "  vedette notify recover --channel ops-hook --since 6h --db sqlite:history.db\n\n" +
			"  # In a script, also if there are many\n" +
			"  vedette notify recover --channel ops-hook --since 2026-03-01 --yes",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVar(&o.channel, "channel", "", "name of the channel")
	f.StringVar(&o.since, "since", "", "only dead letters that failed at this time or later: 2h, 3d (ago), 15:04, 2026-03-01")
	o.by.addFlags(cmd)
	o.confirm.addFlags(cmd)
	return cmd
}

func (o *notifyRecoverOptions) run(ctx context.Context, in io.Reader, con *console.Console) error {
	if o.channel == "" || o.since == "" {
		return errors.New("name the channel with --channel, and say with --since how far back, such as --since 6h")
	}
	since, err := units.ParseTime(o.since, time.Now())
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	n := 0
	f := delivery.Filter{Channel: o.channel, Since: since, States: []delivery.State{delivery.Dead}}
	for _, err := range deliveryview.All(ctx, d, f) {
		if err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		con.Say("nothing failed on channel %s since %s", o.channel, units.Local(since))
		return nil
	}
	if err := o.confirm.confirm(in, con, n, fmt.Sprintf("sends %s again", units.Count(n, "message"))); err != nil {
		return err
	}
	n, err = delivery.Recover(ctx, d, o.channel, since, o.by.name())
	con.Say("%s will be sent again", units.Count(n, "message"))
	return err
}
