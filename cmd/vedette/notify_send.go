package main

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// notifySendOptions are the flags of notify test.
type notifySendOptions struct {
	notify  notifyFlags
	settled *settings.Settings
	to      string
	by      operatorFlags
}

func newNotifySend() *cobra.Command {
	var o notifySendOptions
	cmd := &cobra.Command{
		Use:   "test CHANNEL",
		Short: "Send a test message to a channel now, and show the response",
		Long:  "This command sends the message once. The exit code is 1 if the channel does not accept it.",
		Example: "  vedette notify test ops-hook --notify notify.yaml\n\n" +
			"  # To a person of the file, or to an address\n" +
			"  vedette notify test mail --to liwei\n  vedette notify test mail --to liwei@example.com",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "auto"))
		},
	}
	o.notify.addFlags(cmd)
	o.settled = settings.AddConfig(cmd)
	cmd.Flags().StringVar(&o.to, "to", "", "a person of the file, or an address on the channel (default: the channel alone)")
	o.by.addFlags(cmd)
	return cmd
}

func (o *notifySendOptions) run(ctx context.Context, name string, con *console.Console) error {
	clusters := preflight.ClustersOf(o.settled)
	defer preflight.CloseAll(clusters)
	c, err := o.notify.load(con, preflight.WithClusters(notifyOptions(con), clusters))
	if err != nil {
		return err
	}
	ch, err := channelOf(c, name)
	if err != nil {
		return err
	}
	to, err := config.ReceiverOf(c, ch, o.to)
	if err != nil {
		return err
	}
	notice := &message.Notice{
		Kind: message.Test, Happened: time.Now(), Seen: time.Now(),
		Probe: &message.Probe{Channel: name, Actor: o.by.name(), Rules: rulesTo(c, name)},
	}
	m, err := message.Compose(notice, message.Options{
		ID: "test/" + name + "/" + rand.Text(), Language: to.Language, Portal: c.Portal, Location: to.Location, Now: time.Now(), Role: to.Role, Private: to.Private,
	})
	if err != nil {
		return err
	}
	receipt, took, err := config.SendOnce(ctx, ch, m, to)
	if err != nil {
		return err
	}
	con.Say("%s took the message in %v%s", name, took.Round(time.Millisecond), said(receipt.Status))
	return nil
}

func said(status string) string {
	if status == "" {
		return ""
	}
	return ": " + status
}
