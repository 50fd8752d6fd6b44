package event_test

import (
	"context"
	"testing"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// distinct gives each message its own key, and counts messages without an Event: the suite
// sends messages with one key, and expects each of them.
type distinct struct {
	channel.Channel
	n    int
	none []string
}

// Send implements channel.Channel.
func (d *distinct) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	d.n++
	other := *m
	other.ID = string(rune('a'+d.n%26)) + m.ID + string(rune('0'+d.n))
	r, err := d.Channel.Send(ctx, &other, to)
	if err == nil && r.Ref == "" {
		d.none = append(d.none, r.Status)
	}
	return r, err
}

// TestSuite: the channel passes the tests of the suite that send one message at a time.
func TestSuite(t *testing.T) {
	_, c, events := serve(t, apitest.Config{})
	d := &distinct{Channel: c}
	arrived := func() int {
		all, err := kube.Collect(events.List(t.Context(), kube.Where{}))
		if err != nil {
			t.Fatal(err)
		}
		return len(all) + len(d.none)
	}
	for _, language := range []string{message.English, message.Chinese} {
		all, err := channeltest.Composed(language)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, channeltest.Huge(language), channeltest.HugeDigest(language), channeltest.Hostile(language), channeltest.HostileDigest(language))
		for _, m := range all {
			before := arrived()
			if _, err := d.Send(t.Context(), m, channel.Receiver{}); err != nil || arrived() != before+1 {
				t.Errorf("%s %q: got error %v and %d messages, want 1", m.Kind, m.Title, err, arrived()-before)
			}
		}
	}
}
