package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/invocation"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// notifyRules are the rules of the demo. Both channels show their messages on the terminal.
const notifyRules = `
channels:
  terminal: {type: stdout}
  pager: {type: stdout}
rules:
- name: failed jobs
  types: [jobs.batch]
  enter: [Failed]
  to: [terminal]
- name: retries
  types: [jobs.batch]
  enter: [Restarting]
  to: [pager]
- name: long waits
  types: [jobs.batch]
  waits: 12s
  to: [terminal]
`

// simulatedChannel accepts messages. If it is unreliable, the first try of every other message
// fails, to show retries.
type simulatedChannel struct {
	name       string
	unreliable bool

	mu    sync.Mutex
	tried map[string]bool // by the ID of the message
}

// Send implements channel.Channel.
func (c *simulatedChannel) Send(_ context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := !c.tried[m.ID]; first {
		c.tried[m.ID] = true
		if c.unreliable && len(c.tried)%2 == 1 {
			return channel.Receipt{}, &channel.Error{Kind: channel.Temporary, Status: "HTTP 503", Err: errors.New("a fault that the demo simulates")}
		}
	}
	return channel.Receipt{Status: "shown"}, nil
}

// Traits implements channel.Channel.
func (c *simulatedChannel) Traits() channel.Traits { return channel.Traits{Kind: "stdout"} }

// Check implements channel.Channel.
func (c *simulatedChannel) Check(context.Context) error { return nil }

// Close implements channel.Channel.
func (c *simulatedChannel) Close() error { return nil }

// notifier sends the messages of the demo.
type notifier struct {
	d     *sqldb.DB
	n     *notify.Notifier
	shown *deliveryview.Printer
}

// shownWait is the minimum time between two tries, so that users can see the first one.
const shownWait = 500 * time.Millisecond

// newNotifier returns a notifier with waits between tries that the speed shortens.
func newNotifier(d *sqldb.DB, speed float64, con *console.Console) (*notifier, error) {
	file, err := config.Parse("demo", []byte(notifyRules), config.Options{})
	if err != nil {
		return nil, err
	}
	var backoff []time.Duration
	for i := range (delivery.Policy{}).Tries() - 1 {
		backoff = append(backoff, max(shownWait, time.Duration(float64(2*time.Second<<min(i, 4))/speed)))
	}
	n, err := notify.New(d, notify.Config{
		File: file, Logger: slog.New(slog.DiscardHandler),
		Open: func(c *config.Channel) (channel.Channel, error) {
			return &simulatedChannel{name: c.Name, unreliable: c.Name == "pager", tried: map[string]bool{}}, nil
		},
		Workers: notify.WorkerOptions{Policy: delivery.Policy{Backoff: backoff, Threshold: 100}},
	})
	return &notifier{d, n, deliveryview.NewPrinter(d, con)}, err
}

// start notifies and prints messages until ctx is done. It calls cancel with an error.
// wait joins the goroutines, and returns the error. A nil notifier does nothing.
func (s *notifier) start(ctx context.Context, cancel func(error)) (wait func() error) {
	if s == nil {
		return func() error { return nil }
	}
	ended := make(chan error, 2)
	for _, run := range []func(context.Context) error{s.n.Run, s.shown.Run} {
		go func() {
			err := run(ctx)
			if err != nil {
				cancel(err)
			}
			ended <- err
		}()
	}
	return func() error { return errors.Join(<-ended, <-ended) }
}

// ready waits until the notifier reads the feed, which begins with the next
// change.
func (s *notifier) ready(ctx context.Context) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastWrite)
	defer cancel()
	for ctx.Err() == nil {
		if h, err := s.n.Health(ctx); err == nil && h.Cursor {
			return
		}
		_ = pause.For(ctx, 20*time.Millisecond)
	}
}

// lastMessage bounds the wait for the last message. A machine with much other work takes
// several seconds; Ctrl-C ends the wait.
const lastMessage = 30 * time.Second

// settle waits until no message waits.
func (s *notifier) settle(ctx context.Context) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastMessage)
	defer cancel()
	for ctx.Err() == nil {
		unsent := 0
		_, numbered := feed.Sequence(ctx, s.d)
		h, err := s.n.Health(ctx)
		for _, c := range h.Counts {
			if c.State != delivery.Dead {
				unsent += c.N
			}
		}
		if numbered == nil && err == nil && h.Behind == 0 && unsent == 0 {
			return
		}
		_ = pause.For(ctx, 50*time.Millisecond)
	}
}

// summary appends the number of messages to the summary of the recording.
func (s *notifier) summary(ctx context.Context, said, url string) (string, error) {
	sent, again := 0, 0
	for d, err := range deliveryview.All(ctx, s.d, delivery.Filter{States: []delivery.State{delivery.Sent}}) {
		if err != nil {
			return "", err
		}
		if sent++; d.Attempts > 1 {
			again++
		}
	}
	text := fmt.Sprintf("  %s were sent, %d of them at the second try\n", units.Count(sent, "message"), again)
	if sent == 1 {
		text = strings.Replace(text, "were", "was", 1)
	}
	before, after, _ := strings.Cut(said, "\nRead the history:")
	return before + text + "\nRead the history:" + after + fmt.Sprintf("\n  %s notify ls --db %s", invocation.Command(), url), nil
}
