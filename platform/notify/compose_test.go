package notify_test

import (
	"context"
	"fmt"
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
	"github.com/vedette-io/vedette/platform/sqldb"
)

// inbox is a channel that keeps the messages it receives.
type inbox struct {
	mu  sync.Mutex
	all []string
}

// Send implements channel.Channel.
func (i *inbox) Send(_ context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = append(i.all, fmt.Sprintf("%s|%s|%s|%s|%s|%d|%v", to.Address, m.Language, m.Title, m.Role, m.Rule, len(m.Items), m.Late))
	return channel.Receipt{Status: "taken"}, nil
}

// Traits implements channel.Channel.
func (i *inbox) Traits() channel.Traits { return channel.Traits{Kind: "test", Timeout: time.Second} }

// Check implements channel.Channel.
func (i *inbox) Check(context.Context) error { return nil }

// Close implements channel.Channel.
func (i *inbox) Close() error { return nil }

// wait waits for n messages and returns them in the order of their text.
func (i *inbox) wait(t *testing.T, n int) []string {
	t.Helper()
	var all []string
	patience.Until(t, fmt.Sprintf("%d messages arrive", n), func() string {
		i.mu.Lock()
		defer i.mu.Unlock()
		if all = slices.Sorted(slices.Values(i.all)); len(all) < n {
			return fmt.Sprintf("got %d: %q", len(all), all)
		}
		return ""
	})
	return all
}

const withPeople = `
language: en
people:
  liwei: {language: zh, feishu: ou_liwei, prefers: feishu, also: [wei@example.com]}
  ann: {feishu: ou_ann, prefers: feishu}
channels:
  feishu: {type: feishu, url: {env: U}, secret: {env: S}}
  ops: {type: webhook, url: {env: U}, secret: {env: S}}
rules:
- {name: mine, enter: [Failed], to: [owner], fallback: [ops]}
- {name: starts, enter: [Running], to: [ann], digest: 1h}
`

// TestOwners: a message goes to the person that the job names, in their language. Unknown
// names, and addresses that a job makes up, reach the fallback only.
func TestOwners(t *testing.T) {
	h := newHistory(t, sqlite(t))
	got := &inbox{}
	p := h.plan(withPeople, func(c *notify.Config) {
		c.Open = func(*config.Channel) (channel.Channel, error) { return got, nil }
		c.Workers.Poll = 5 * time.Millisecond
	})
	annotated := func(value string) string { return `{"metadata":{"annotations":{"vedette.io/notify":"` + value + `"}}}` }
	h.write(newJob{uid: "a", version: 1, to: job.Failed, submitter: "WEI@example.com"})
	h.write(newJob{uid: "b", version: 2, to: job.Failed, submitter: "liwei", body: annotated("ann")})
	h.write(newJob{uid: "c", version: 3, to: job.Failed, submitter: "nobody"}, newJob{uid: "d", version: 4, to: job.Failed, body: annotated("feishu:ou_stranger")})
	h.write(newJob{uid: "e", version: 5, to: job.Failed, labels: "vedette.io/notify=ann", submitter: "liwei", body: `{"metadata":{"annotations":3}}`})
	p.settle()
	want := []string{
		"ou_ann|en|Failed: job-b|owner|mine|0|false", "ou_ann|en|Failed: job-e|owner|mine|0|false", "ou_liwei|zh|已失败：job-a|owner|mine|0|false",
		"|en|Failed: job-c|ops|mine|0|false", "|en|Failed: job-d|ops|mine|0|false",
	}
	slices.Sort(want)
	if all := got.wait(t, 5); !slices.Equal(all, want) {
		t.Errorf("messages\n got %q\nwant %q", all, want)
	}
	if s := p.Stats(); s.Unknown != 2 {
		t.Errorf("got %d unknown owners, want 2", s.Unknown)
	}
	// A digest, and an event that cannot be decoded.
	h.write(newJob{uid: "f", version: 6, to: job.Running}, newJob{uid: "g", version: 7, to: job.Running})
	h.tx(func(tx *sqldb.Tx) error {
		_, err := delivery.Create(t.Context(), tx, []delivery.Delivery{{Key: "broken", Kind: "Failed", Channel: "ops", Event: []byte("{"), CreatedAt: h.now()}})
		return err
	})
	p.settle()
	h.add(time.Hour)
	p.settle()
	all := got.wait(t, 6)
	if i := slices.IndexFunc(all, func(s string) bool { return strings.HasSuffix(s, "|2|false") }); i < 0 || !strings.HasPrefix(all[i], "ou_ann|en|2 ") {
		t.Errorf("no digest of two in %q", all)
	}
	dead, err := delivery.List(t.Context(), h.DB, delivery.Filter{States: []delivery.State{delivery.Dead}})
	if err != nil || len(dead) != 1 || dead[0].Key != "broken" {
		t.Errorf("got error %v and dead letters %+v, want only broken", err, dead)
	}
}
