package workqueue

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestInbox: items that producers leave in the inbox while another goroutine has the lock
// are handed out as if they had been added with the lock: in the same order, once, with the
// same priorities and times.
func TestInbox(t *testing.T) {
	random := testinput.Rand(t)
	for range testinput.Cases(t, 200) {
		var now time.Duration
		cfg := Config[string]{
			Age: 3 * time.Second, Clock: func() time.Duration { return now },
			Group: func(item string) string { return item[:1] }, Serial: func(item string) string { return item[1:] },
		}
		var got [2][]Work[string]
		var stats [2]Stats
		var steps [batch - 1]struct {
			passes time.Duration
			with   Options
			item   string
		}
		for i := range steps {
			s := &steps[i]
			s.passes, s.with.Priority = time.Duration(random.IntN(3))*time.Second, int8(random.IntN(3))
			s.item = strconv.Itoa(random.IntN(40) + 10)
		}
		for i := range got {
			now = 0
			q := New(cfg)
			if i == 1 {
				q.mu.Lock()
			}
			for _, s := range steps {
				now += s.passes
				if err := q.AddWith(context.Background(), s.item, s.with); err != nil {
					t.Fatal(err)
				}
			}
			if i == 1 {
				if n := len(q.inbox.items); n != batch-1 {
					t.Fatalf("got %v, want %v", n, batch-1)
				}
				q.mu.Unlock()
			}
			got[i], stats[i] = takeAll(q), q.Stats()
		}
		if !slices.Equal(got[0], got[1]) || stats[0].Adds != stats[1].Adds || stats[0].Latency != stats[1].Latency {
			t.Fatalf("got items %v, then %v, with stats %+v and %+v; want both ways alike", got[0], got[1], stats[0], stats[1])
		}
	}
}

// takeAll takes and ends all ready items.
func takeAll(q *Queue[string]) (works []Work[string]) {
	for {
		w, ok := q.TryGet()
		if !ok {
			return works
		}
		works = append(works, w)
		_ = q.Done(w.Item)
	}
}
