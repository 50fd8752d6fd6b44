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
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// nodeFacts is the node of jobs whose UID begins with "a"; others are on gpu-18.
type nodeFacts string

// Fill implements notify.Facts.
func (f nodeFacts) Fill(_ context.Context, n *message.Notice, of feed.Object) error {
	if n.Kind == message.Failed || n.Kind == message.Restarted {
		n.Cause.Node = "gpu-18"
		if strings.HasPrefix(of.UID, "a") {
			n.Cause.Node = string(f)
		}
	}
	return nil
}

// onNode makes a notifier use nodeFacts with gpu-17.
func onNode(c *notify.Config) { c.Facts = nodeFacts("gpu-17") }

// silence adds a silence from now for a time.
func (h *history) silence(lasts time.Duration, matchers ...string) int64 {
	h.t.Helper()
	id, err := delivery.AddSilence(h.t.Context(), h.DB, delivery.Silence{Matchers: matchers, Comment: "a new GPU", CreatedBy: "vera", StartsAt: h.now(), EndsAt: h.now().Add(lasts)})
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

// states returns the keys of all deliveries with their states, oldest first.
func (h *history) states() (all []string) {
	h.t.Helper()
	for _, d := range h.deliveries() {
		all = append(all, strings.TrimPrefix(d.Key, "gpu-west/")+" "+d.State.String())
	}
	return all
}

func (h *history) wantStates(want ...string) {
	h.t.Helper()
	if got := h.states(); !slices.Equal(got, want) {
		h.t.Errorf("deliveries\n got %q\nwant %q", got, want)
	}
}

// TestSilences: a silence holds back exactly the messages that its matchers select, also those
// of digests. At its end each receiver gets one summary. A silence that matches nothing has no
// summary.
func TestSilences(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		p := h.plan(channels+`
rules:
- {name: r, enter: [Failed], to: [hook, chat]}
- {name: d, enter: [Failed], to: [chat-ops], digest: 1d}
`, onNode)
		node, nothing := h.silence(2*time.Hour, "node=gpu-17", "namespace=m?"), h.silence(2*time.Hour, "queue=none")
		h.write(newJob{uid: "a", version: 1, to: job.Failed}, newJob{uid: "b", version: 2, to: job.Failed})
		p.settle()
		day := digestAt(h, 24*time.Hour, "chat-ops")
		held := []string{"a/1/Failed/r/chat silenced", "silence/1/chat held", "a/1/Failed/d/chat-ops silenced", "silence/1/chat-ops held", "a/1/Failed/r/hook silenced", "silence/1/hook held"}
		sent := []string{"b/2/Failed/r/hook waiting", "b/2/Failed/r/chat waiting", day + " held"}
		h.wantStates(slices.Concat(held, sent)...)
		if got := h.items(h.deliveries()[8]); !slices.Equal(got, []string{"Failed 2"}) {
			t.Errorf("the digest has %q, want only the message about b", got)
		}
		h.add(2 * time.Hour)
		h.write(newJob{uid: "a2", version: 3, to: job.Failed})
		p.settle()
		for i := range held {
			held[i] = strings.Replace(held[i], "held", "waiting", 1)
		}
		if got := h.states(); !slices.Equal(got[:6], held) || len(got) != 11 || !strings.HasSuffix(got[9], "a2/3/Failed/r/hook waiting") {
			t.Errorf("after the end\n got %q\nwant %q, those of b, and a2", got, held)
		}
		if got := h.items(h.deliveries()[5]); !slices.Equal(got, []string{"Failed 1"}) {
			t.Errorf("the summary has %q, want the message about a", got)
		}
		if counts, err := delivery.HeldBackCounts(t.Context(), h.DB); err != nil || counts[node] != 3 || counts[nothing] != 0 || p.Stats().Silenced != 3 {
			t.Errorf("got counts %v, error %v and %d in Stats; want 3 of the first silence", counts, err, p.Stats().Silenced)
		}
	})
}

// TestOverlappingSilences: of two silences, the one that ends last holds a message back. An
// expired silence sends its summary, and holds nothing back any longer.
func TestOverlappingSilences(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels+"rules:\n- {name: r, enter: [Failed], to: [hook]}\n", onNode)
	h.silence(time.Hour, "node=gpu-17")
	h.silence(3*time.Hour, "cluster=gpu-*", "state=Failed")
	h.silence(2*time.Hour, "node=gpu-17")
	h.write(newJob{uid: "a", version: 1, to: job.Failed})
	p.settle()
	h.wantStates("a/1/Failed/r/hook silenced", "silence/2/hook held")
	h.add(2 * time.Hour)
	p.settle()
	h.wantStates("a/1/Failed/r/hook silenced", "silence/2/hook held")
	h.add(time.Hour)
	p.settle()
	h.write(newJob{uid: "a2", version: 2, to: job.Failed})
	p.settle()
	h.wantStates("a/1/Failed/r/hook silenced", "silence/2/hook waiting", "a2/2/Failed/r/hook waiting")
}

// TestReleasedSummary: a replica with a fast clock has released a summary. Later messages of the
// silence are sent, because no summary would have them.
func TestReleasedSummary(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels+"rules:\n- {name: r, enter: [Failed], to: [hook]}\n", onNode)
	h.silence(time.Hour, "node=gpu-17")
	h.write(newJob{uid: "a", version: 1, to: job.Failed})
	p.settle()
	h.tx(func(tx *sqldb.Tx) error {
		_, err := delivery.CloseDigests(t.Context(), tx, h.now().Add(time.Hour))
		return err
	})
	h.write(newJob{uid: "a2", version: 2, to: job.Failed})
	p.settle()
	h.wantStates("a/1/Failed/r/hook silenced", "silence/1/hook waiting", "a2/2/Failed/r/hook waiting")
}

// TestSilencedAlert: a silenced alert is neither opened nor closed. An alert that was opened
// before the silence is closed during it.
func TestSilencedAlert(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan("channels:\n  pager: {type: pagerduty, key: {env: K}}\nrules:\n- {name: r, enter: [Failed], to: [pager], escalate: {after: 10m, to: [pager]}}\n", onNode)
	h.write(newJob{uid: "a", version: 1, to: job.Failed})
	p.settle()
	h.silence(2*time.Hour, "cluster=gpu-west")
	h.write(newJob{uid: "a", version: 2, to: job.Running}, newJob{uid: "b", version: 3, to: job.Failed})
	p.settle()
	h.write(newJob{uid: "b", version: 4, to: job.Running})
	p.settle()
	h.add(time.Hour)
	p.settle()
	h.wantStates("a/1/Failed/r/pager waiting", "b/3/Failed/r/pager silenced", "silence/1/pager held", "a/1/Failed/r/pager/resolved behind")
}

// TestNodeCondition: the condition of a rule reads the node of a failure.
func TestNodeCondition(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels+"rules:\n- {name: r, when: new.node == \"gpu-17\", to: [hook]}\n", onNode)
	h.write(newJob{uid: "a", version: 1, to: job.Failed}, newJob{uid: "b", version: 2, to: job.Failed}, newJob{uid: "a3", version: 3, to: job.Succeeded})
	p.settle()
	h.want("a/1/Failed/r/hook")
}

// TestSummaryOnce: two notifiers are stopped at random moments, also in the middle of
// transactions. Each silenced message is stored once, and each receiver gets one summary of
// all of them.
func TestSummaryOnce(t *testing.T) {
	for _, partitions := range []int{1, 3} {
		t.Run(fmt.Sprint(partitions), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) { summaryOnce(t, url, partitions) })
		})
	}
}

func summaryOnce(t *testing.T, url string, partitions int) {
	h := newHistory(t, url)
	const text = channels + "rules:\n- {name: r, enter: [Failed], to: [hook]}\n"
	h.plan(text, onNode).stop()
	if err := feed.Divide(t.Context(), h.DB, "notify", partitions); err != nil {
		t.Fatal(err)
	}
	h.silence(time.Hour, "node=gpu-17")
	random := testinput.Rand(t)
	var writing sync.WaitGroup
	const jobs = 60
	writing.Go(func() {
		for i := range jobs {
			h.write(newJob{uid: fmt.Sprintf("a%02d", i), version: i + 1, to: job.Failed})
		}
	})
	got := &receiver{}
	sending := func(c *notify.Config) {
		onNode(c)
		c.Open = func(k *config.Channel) (channel.Channel, error) {
			if k.Name == "hook" {
				return got, nil
			}
			return nil, errClosed
		}
	}
	for range 8 {
		first, second := h.begin(text, sending), h.begin(text, sending)
		stopAt := time.NewTimer(time.Duration(random.IntN(60)) * time.Millisecond) // an input: the moment at which the notifiers stop
		<-stopAt.C
		first.stop()
		second.stop()
	}
	writing.Wait()
	h.plan(text, sending).settle()
	h.add(time.Hour)
	first, second := h.begin(text, sending), h.begin(text, sending)
	first.settle()
	first.stop()
	second.settle()
	patience.Until(t, "the summary is sent", func() string {
		if d, err := delivery.Find(t.Context(), h.DB, "silence/1/hook"); err != nil || d.State != delivery.Sent {
			return fmt.Sprintf("%+v, %v", d, err)
		}
		return ""
	})
	second.stop()
	got.mu.Lock()
	defer got.mu.Unlock()
	if !slices.Equal(got.keys, []string{"silence/1/hook"}) {
		t.Errorf("got %q, want one summary", got.keys)
	}
	d, err := delivery.Find(t.Context(), h.DB, "silence/1/hook")
	if err != nil {
		t.Fatal(err)
	}
	items := h.items(d)
	slices.Sort(items)
	if n := len(items); n != jobs || len(slices.Compact(items)) != n || h.count("SELECT COUNT(*) FROM deliveries") != jobs+1 {
		t.Errorf("the summary has %d messages and there are %d deliveries; want %d different ones and the summary", n, h.count("SELECT COUNT(*) FROM deliveries"), jobs)
	}
}
