package stdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// timeout is the maximum time that a write may block.
const timeout = 10 * time.Second

// Options configure a channel.
type Options struct {
	// Out receives the messages.
	Out   io.Writer
	Style Style
	// Location is the zone of the times; nil means local time.
	Location *time.Location
	// Next returns a useful command for a message, or ""; may be nil.
	Next func(*message.Message) string
}

// Channel prints messages.
type Channel struct {
	printer Printer
	next    func(*message.Message) string
	turn    chan struct{} // the holder writes
	closed  atomic.Bool
}

// New returns a channel.
//
// Errors: the writer is missing.
func New(o Options) (*Channel, error) {
	if o.Out == nil {
		return nil, errors.New("a channel for the terminal needs a writer")
	}
	return &Channel{printer: Printer{Out: o.Out, Style: o.Style, Location: o.Location}, next: o.Next, turn: make(chan struct{}, 1)}, nil
}

// Traits implements channel.Channel.
func (c *Channel) Traits() channel.Traits { return channel.Traits{Kind: "stdout", Timeout: timeout} }

// Send implements channel.Channel.
//
// Errors: an *channel.Error of kind Temporary.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	if c.closed.Load() {
		return channel.Receipt{}, &channel.Error{Kind: channel.Temporary, Err: errors.New("the channel is closed")}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return channel.Receipt{}, blocked(ctx)
	}
	next := ""
	if c.next != nil {
		next = c.next(m)
	}
	name := to.Name
	if name == "" {
		name = to.Person
	}
	// The writer may be a blocked pipe, which no context ends.
	done := make(chan error, 1)
	go func() {
		defer func() { <-c.turn }()
		done <- c.printer.Print(time.Now(), m, &Delivery{Receiver: name, Channel: "stdout", Rule: m.Rule}, next)
	}()
	select {
	case err := <-done:
		if err != nil {
			return channel.Receipt{}, &channel.Error{Kind: channel.Temporary, Err: fmt.Errorf("the message was not printed: %w", err)}
		}
		return channel.Receipt{Status: "printed"}, nil
	case <-ctx.Done():
		return channel.Receipt{}, blocked(ctx)
	}
}

func blocked(ctx context.Context) error {
	return &channel.Error{Kind: channel.Temporary, Err: fmt.Errorf("the terminal does not accept output: %w", context.Cause(ctx))}
}

// Check implements channel.Channel. It always succeeds: a writer shows its faults only
// when it is written to.
func (c *Channel) Check(context.Context) error { return nil }

// Close implements channel.Channel. The writer remains open.
func (c *Channel) Close() error {
	c.closed.Store(true)
	return nil
}
