package livestream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// fakeSight sees the namespaces of its letters; "*" sees all.
type fakeSight string

func (s fakeSight) All() bool { return s == "*" }
func (s fakeSight) SeesJob(_, _, _, namespace string, _ time.Time) bool {
	return strings.Contains(string(s), namespace)
}
func (s fakeSight) SeesCluster(cluster string) bool { return strings.Contains(string(s), cluster) }
func (s fakeSight) SeesPods(_, _ string) bool       { return !strings.Contains(string(s), "!") }
func (s fakeSight) Key() string                     { return string(s) }
func (s fakeSight) Expired() <-chan struct{}        { return nil }

func seesNamespace(s fakeSight, namespace string) bool {
	return s.All() || s.SeesJob("", "", "", namespace, time.Time{})
}

// change returns a change at a position in a namespace.
func change(position int64, namespace string) Change {
	return Change{Position: position, Cluster: "c", Type: "jobs.batch", Namespace: namespace, Event: api.Change{Position: position, Kind: "new", Job: api.Job{ID: position, Namespace: namespace}}}
}

// truth is the feed of a test. It has a lock because clients run concurrently.
type truth struct {
	mu  sync.Mutex
	all []Change
}

func (w *truth) visible(s fakeSight, after, upTo int64) (ids []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.all {
		if c.Position > after && c.Position <= upTo && seesNamespace(s, c.Namespace) {
			ids = append(ids, c.Position)
		}
	}
	return ids
}

// page is a browser: it has received everything that it may see after base, up to last.
type page struct {
	truth *truth
	hub   *Hub

	mu    sync.Mutex // of what follows
	may   fakeSight  // current sight of the person
	told  fakeSight  // last sight that was returned
	sight fakeSight  // that of the events that come
	base  int64
	last  int64 // ID of the last event
	got   []int64
	wrong []string
	delay []time.Duration // of the next writes
	fails int             // number of writes before the connection breaks; 0: never
}

var errBroken = errors.New("the connection is broken")

// Write implements writer.
func (c *page) Write(frames ...[]byte) error {
	c.mu.Lock()
	var wait time.Duration
	if len(c.delay) > 0 {
		wait, c.delay = c.delay[0], c.delay[1:]
	}
	broken := c.fails == 1
	c.fails = max(0, c.fails-1)
	c.mu.Unlock()
	<-time.After(wait)
	if broken || wait > web.WriteTime {
		return errBroken
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range frames {
		c.event(string(f))
	}
	return nil
}

// event handles one event like a page.
func (c *page) event(text string) {
	var event, id, data string
	for line := range strings.Lines(strings.TrimSuffix(text, "\n\n") + "\n") {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "event":
			event = value
		case "id":
			id = value
		case "data":
			data = value
		}
	}
	at, err := strconv.ParseInt(id, 10, 64)
	if err != nil || at < c.last && event != "reset" {
		c.wrong = append(c.wrong, fmt.Sprintf("%q after %d", text, c.last))
	}
	switch event {
	case "changes":
		var some api.Changes
		if err := json.Unmarshal([]byte(data), &some); err != nil || len(some.Changes) == 0 {
			c.wrong = append(c.wrong, fmt.Sprintf("%v: %q", err, text))
		}
		for _, x := range some.Changes {
			c.got = append(c.got, x.Position)
		}
	case "reset":
		c.base, c.got = at, nil
	case "rights":
		c.compare(at)
		c.base, c.got, c.sight = at, nil, c.told
	}
	c.last = at
}

// compare compares the changes that the page has up to a position with the truth.
func (c *page) compare(upTo int64) {
	if want := c.truth.visible(c.sight, c.base, upTo); !slices.Equal(c.got, want) {
		c.wrong = append(c.wrong, fmt.Sprintf("sight %s, from %d to %d: got %v, want %v", c.sight, c.base, upTo, c.got, want))
	}
}

// follow connects, and reconnects whenever the connection breaks, until ctx ends.
func (c *page) follow(ctx context.Context) {
	sight := func(context.Context) (Sight, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.told = c.may
		return c.told, nil
	}
	for resume := false; ctx.Err() == nil; resume = true {
		s, _ := sight(ctx)
		now := time.Now()
		c.mu.Lock()
		if resume && c.sight != c.told { // after a change of rights, a page loads everything again
			resume = false
		}
		b := &browser{hub: c.hub, ask: sight, w: c, sight: s, seen: now, check: now.Add(sightEvery)}
		reason := b.place(c.last, resume)
		if !resume {
			c.base, c.last, c.got, c.sight = b.position, b.position, nil, c.told
		}
		c.mu.Unlock()
		if reason != "" && b.reset(reason) != nil {
			continue
		}
		_ = b.run(ctx) // the connection broke, or the test ends
		<-time.After(time.Second)
	}
}

// TestModel: for random schedules of changes, broken connections, slow writes and changed rights,
// each page has exactly the changes that it may see after its last reset, in order and once.
func TestModel(t *testing.T) {
	testinput.Check(t, func(r *rapid.T) {
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = runModel(t, r) })
		if wrong != "" {
			r.Fatal(wrong)
		}
	})
}

func runModel(t *testing.T, r *rapid.T) (wrong string) {
	w := &truth{}
	h := New(Config{Position: func() int64 { return 1 << 40 }, Entries: rapid.SampledFrom([]int{8, 64, 1024}).Draw(r, "entries"), Bytes: rapid.SampledFrom([]int{2000, 1 << 20}).Draw(r, "bytes")})
	position := int64(rapid.IntRange(0, 5).Draw(r, "first"))
	h.Start(position, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { h.Run(ctx) })
	sights := rapid.SampledFrom([]fakeSight{"*", "a", "ab", "bc", "z"})
	var clients []*page
	for range rapid.IntRange(1, 5).Draw(r, "clients") {
		c := &page{truth: w, hub: h, may: sights.Draw(r, "sight")}
		clients = append(clients, c)
		work.Go(func() { c.follow(ctx) })
	}
	synctest.Wait()
	for range rapid.IntRange(1, 40).Draw(r, "steps") {
		c := rapid.SampledFrom(clients).Draw(r, "client")
		switch rapid.SampledFrom([]string{"change", "change", "change", "bulk", "slow", "break", "rights", "wait"}).Draw(r, "step") {
		case "change":
			position += int64(rapid.IntRange(1, 3).Draw(r, "gap"))
			w.add(h, change(position, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "namespace")))
		case "bulk":
			var some []Change
			for range rapid.IntRange(1, 60).Draw(r, "n") {
				position++
				some = append(some, change(position, string(rune('a'+position%3))))
			}
			w.add(h, some...)
		case "slow":
			c.set(func() {
				c.delay = append(c.delay, time.Duration(rapid.IntRange(1, 12000).Draw(r, "ms"))*time.Millisecond)
			})
		case "break":
			c.set(func() { c.fails = rapid.IntRange(1, 5).Draw(r, "writes") })
		case "rights":
			c.set(func() { c.may = sights.Draw(r, "sight") })
		case "wait":
			<-time.After(time.Duration(rapid.IntRange(1, 3000).Draw(r, "ms")) * time.Millisecond)
		}
	}
	<-time.After(3 * time.Minute) // everything is sent, and each sight was refreshed
	cancel()
	work.Wait()
	for i, c := range clients {
		c.compare(position)
		if len(c.wrong) > 0 || c.sight != c.may {
			wrong += fmt.Sprintf("client %d, sight %s of %s: %s\n", i, c.sight, c.may, strings.Join(c.wrong, "\n"))
		}
	}
	return wrong
}

func (c *page) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (w *truth) add(h *Hub, some ...Change) {
	w.mu.Lock()
	w.all = append(w.all, some...)
	w.mu.Unlock()
	h.Append(some)
}
