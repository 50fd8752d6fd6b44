package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/config"
	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/notify/rule"
)

// notifySendOptions are the flags of notify test.
type notifySendOptions struct {
	notify  notifyFlags
	settled *settled
	to      string
	by      operatorFlags
}

func newNotifySend() *cobra.Command {
	var o notifySendOptions
	cmd := &cobra.Command{
		Use:   "test CHANNEL",
		Short: "Send a test message to a channel now, and show the answer",
		Long:  "The message is sent once, by this command. The exit code is 1 if the channel does not take it.",
		Example: "  vedette notify test ops-hook --notify notify.yaml\n\n" +
			"  # To a person of the file, or to an address\n" +
			"  vedette notify test mail --to liwei\n  vedette notify test mail --to liwei@example.com",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "auto"))
		},
	}
	o.notify.addFlags(cmd)
	o.settled = addConfig(cmd)
	cmd.Flags().StringVar(&o.to, "to", "", "a person of the file, or an address on the channel (default: the channel alone)")
	o.by.addFlags(cmd)
	return cmd
}

func (o *notifySendOptions) run(ctx context.Context, name string, con *console) error {
	clusters := clustersOf(o.settled)
	defer closeAll(clusters)
	c, err := o.notify.load(con, withClusters(notifyOptions(con), clusters))
	if err != nil {
		return err
	}
	ch, err := channelOf(c, name)
	if err != nil {
		return err
	}
	to, err := receiverOf(c, ch, o.to)
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
	receipt, took, err := sendOnce(ctx, ch, m, to)
	if err != nil {
		return err
	}
	con.say("%s took the message in %v%s", name, took.Round(time.Millisecond), said(receipt.Status))
	return nil
}

func said(status string) string {
	if status == "" {
		return ""
	}
	return ": " + status
}

// receiverOf returns the receiver on a channel whom a word names: a person of the file, or
// an address. No word is the channel alone.
func receiverOf(c *config.Config, ch *config.Channel, word string) (config.Receiver, error) {
	if word != "" && !ch.HasAddresses() {
		return config.Receiver{}, fmt.Errorf("channel %s is of type %s, which has no addresses: leave out %s", ch.Name, ch.Kind, word)
	}
	t := rule.Target{Kind: rule.Channel, Channel: ch.Name, Address: word}
	if p := c.People[word]; p != nil {
		if p.On(ch) == "" {
			return config.Receiver{}, fmt.Errorf("%s has no address on channel %s: add it to people in %s", word, ch.Name, c.Path)
		}
		t = rule.Target{Kind: rule.Channel, Channel: ch.Name, Person: word}
	}
	found, _ := c.Receivers([]rule.Target{t}, nil, nil)
	if len(found) == 0 {
		return config.Receiver{}, fmt.Errorf("channel %s has no receiver %q", ch.Name, word)
	}
	return found[0], nil
}

// sendTimeout bounds a message that a command sends if the channel has no bound.
const sendTimeout = 30 * time.Second

// sendOnce sends a message without the database, and returns what the channel answered.
//
// Errors: the channel cannot be opened, or did not take the message.
func sendOnce(ctx context.Context, ch *config.Channel, m *message.Message, to config.Receiver) (receipt channel.Receipt, took time.Duration, err error) {
	opened, err := ch.Open()
	if err != nil {
		return receipt, 0, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opened.Traits().Timeout, sendTimeout))
	defer cancel()
	began := time.Now()
	receipt, err = opened.Send(ctx, m, channel.Receiver{Address: to.Address, Name: to.Person, Person: to.Person, Private: to.Private})
	took = time.Since(began)
	if refused := channel.ErrorOf(err); refused != nil {
		return receipt, took, fmt.Errorf("channel %s did not take the message: %s", ch.Name, strings.TrimSpace(oneLine(refused.Error())))
	}
	return receipt, took, nil
}
