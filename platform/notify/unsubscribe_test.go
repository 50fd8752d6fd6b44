package notify_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// letterbox is a channel that keeps the link of each message that stops such messages.
type letterbox struct {
	inbox
	mu    sync.Mutex
	links map[string][]string // by address
}

// Send implements channel.Channel.
func (l *letterbox) Send(_ context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.links[to.Address] = append(l.links[to.Address], m.Footer.Unsubscribe)
	return channel.Receipt{}, nil
}

// TestUnsubscribeLink: the link of a mail stops the messages about the job to its receiver, and to
// nobody else.
func TestUnsubscribeLink(t *testing.T) {
	h := newHistory(t, sqlite(t))
	got := &letterbox{links: map[string][]string{}}
	p := h.plan(`
portal: https://v.example.com
people:
  ann: {email: ann@example.com}
  bob: {email: bob@example.com}
channels:
  mail: {type: email, server: smtp://mail.example.com, from: v@example.com}
rules:
- {name: all, enter: [Running, Failed], to: [ann, bob], now: true}
`, func(c *notify.Config) {
		c.Open = func(*config.Channel) (channel.Channel, error) { return got, nil }
		c.Workers.Poll = 5 * time.Millisecond
	})
	wait := func(ann, bob int) (links []string) {
		t.Helper()
		patience.Until(t, "the mails arrive", func() string {
			got.mu.Lock()
			defer got.mu.Unlock()
			if links = slices.Clone(got.links["ann@example.com"]); len(links) < ann || len(got.links["bob@example.com"]) < bob {
				return "some are missing"
			}
			return ""
		})
		return links
	}
	h.write(newJob{uid: "a", version: 1, to: job.Running})
	p.settle()
	token, found := strings.CutPrefix(wait(1, 1)[0], "https://v.example.com/auth/unsubscribe/")
	if !found || token == "" {
		t.Fatalf("got the link %q", got.links)
	}
	if err := delivery.UnsubscribeBy(t.Context(), h.DB, token); err != nil {
		t.Fatal(err)
	}
	h.write(newJob{uid: "a", version: 2, to: job.Failed})
	p.settle()
	h.write(newJob{uid: "b", version: 3, to: job.Failed})
	p.settle()
	if links := wait(2, 3); len(links) != 2 {
		t.Errorf("ann got %d mails, want the one before the link was used and the one about another job", len(links))
	}
}
