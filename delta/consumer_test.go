package delta_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// held is an object of a consumer, and what Replace says that it must remember.
type held struct {
	rec   wire.Record
	epoch uint64
}

// consumer applies what a Coalesced hands out, as its documentation says.
type consumer struct {
	mu      sync.Mutex
	objects map[wire.Key]held
	marks   map[wire.Version]map[wire.Key]wire.Version // put before a bookmark
	reached map[wire.Key]wire.Version
	busy    map[wire.Key]bool
	broken  []string
}

func (c *consumer) complain(format string, args ...any) {
	c.broken = append(c.broken, fmt.Sprintf(format, args...))
}

// begin looks that the key is alone, a barrier wholly so.
func (c *consumer) begin(key wire.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[key] || c.busy[wire.Key{}] || key == (wire.Key{}) && len(c.busy) > 0 {
		c.complain("%v is taken beside %v", key, c.busy)
	}
	c.busy[key] = true
}

func (c *consumer) end(key wire.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, key)
}

func (c *consumer) apply(key wire.Key, l []delta.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range l {
		switch e.Kind {
		case delta.Added, delta.Updated, delta.Replaced:
			c.objects[key] = held{e.Record, e.Epoch}
			c.reached[key] = max(c.reached[key], e.Version)
		case delta.Deleted:
			delete(c.objects, key)
			c.reached[key] = max(c.reached[key], e.Version)
		case delta.Bookmarked:
			for key, v := range c.marks[e.Version] {
				if c.reached[key] < v {
					c.complain("bookmark %d came before %v at %d", e.Version, key, v)
				}
			}
		case delta.ReplacedEnd:
			maps.DeleteFunc(c.objects, func(_ wire.Key, h held) bool { return h.epoch < e.Epoch })
		}
	}
}

// all returns the records as they are now; Resync comes to them later.
func (c *consumer) all() iter.Seq[wire.Record] {
	c.mu.Lock()
	defer c.mu.Unlock()
	var recs []wire.Record
	for _, h := range c.objects {
		recs = append(recs, h.rec)
	}
	return slices.Values(recs)
}

// run pops until the queue is closed. One in five deltas fails, some after they
// were applied: consumers get them again.
func (c *consumer) run(ctx context.Context, q *delta.Coalesced, luck *rand.Rand) {
	for {
		err := recovered(func() error {
			return q.Pop(ctx, func(key wire.Key, l []delta.Entry) error {
				c.begin(key)
				defer c.end(key)
				n := luck.IntN(15)
				if n == 0 {
					return errFailed
				}
				c.apply(key, l)
				switch n {
				case 1:
					return errFailed
				case 2:
					panic(errFailed)
				}
				return nil
			})
		})
		if err != nil && !errors.Is(err, errFailed) {
			if !errors.Is(err, delta.ErrClosed) {
				c.mu.Lock()
				c.complain("Pop: %v", err)
				c.mu.Unlock()
			}
			return
		}
	}
}

// cluster is the truth, and what of it was put into the queue.
type cluster struct {
	objects map[wire.Key]wire.Record
	version int
	put     map[wire.Key]wire.Version
}

// change makes something happen, and puts it in if somebody watches.
func (s *cluster) change(ctx context.Context, q *delta.Coalesced, luck *rand.Rand, watched bool) error {
	s.version++
	key := wire.Key{Name: string(rune('a' + luck.IntN(12)))}
	rec, there := s.objects[key]
	verb := q.Update
	if !there {
		rec = record(key.Name, fmt.Sprint(s.version), s.version)
		verb = q.Add
	}
	rec.Version = wire.Version(s.version)
	s.objects[key] = rec
	if there && luck.IntN(3) == 0 {
		verb = q.Delete
		delete(s.objects, key)
	}
	if !watched {
		return nil
	}
	s.put[key] = rec.Version
	return verb(ctx, rec)
}

func (s *cluster) list(ctx context.Context, q *delta.Coalesced) error {
	var recs []wire.Record
	for _, rec := range s.objects {
		recs = append(recs, rec)
	}
	s.version++
	return q.Replace(ctx, recs, wire.Version(s.version))
}

// story is what the server does: watches, outages, lists and bookmarks.
func (s *cluster) story(ctx context.Context, q *delta.Coalesced, c *consumer, luck *rand.Rand) error {
	for range 400 {
		var err error
		switch n := luck.IntN(40); n {
		case 0: // an outage
			for range luck.IntN(20) {
				_ = s.change(ctx, q, luck, false)
			}
			if luck.IntN(2) == 0 {
				_ = s.list(noWait(), q) // gives up when the queue is full
				_ = s.change(ctx, q, luck, false)
			}
			err = s.list(ctx, q)
		case 1, 2:
			s.version++
			c.mu.Lock()
			c.marks[wire.Version(s.version)] = maps.Clone(s.put)
			c.mu.Unlock()
			err = q.Bookmark(ctx, wire.Version(s.version))
		default:
			err = s.change(ctx, q, luck, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestConsumersArriveAtTheTruth: whatever waits, is folded, fails or was missed,
// a consumer with several goroutines that does as Replace says ends with what
// the server has, and never sees a bookmark too early.
func TestConsumersArriveAtTheTruth(t *testing.T) {
	for seed := range uint64(30) {
		luck := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }
		q := delta.NewCoalesced(delta.Limits{Deltas: 1 + int(seed)})
		c := &consumer{
			objects: map[wire.Key]held{}, marks: map[wire.Version]map[wire.Key]wire.Version{},
			reached: map[wire.Key]wire.Version{}, busy: map[wire.Key]bool{},
		}
		s := &cluster{objects: map[wire.Key]wire.Record{}, put: map[wire.Key]wire.Version{}}
		var consumers, resync sync.WaitGroup
		for n := range uint64(3) {
			consumers.Go(func() { c.run(t.Context(), q, luck(n)) })
		}
		ctx, stop := context.WithCancel(t.Context())
		resync.Go(func() {
			for q.Resync(ctx, c.all()) == nil && ctx.Err() == nil {
			}
		})
		if err := s.story(t.Context(), q, c, luck(9)); err != nil {
			t.Fatal(err)
		}
		stop()
		resync.Wait()
		q.Close()
		consumers.Wait()
		for _, b := range c.broken {
			t.Error(b)
		}
		if len(c.objects) != len(s.objects) {
			t.Errorf("seed %d: %d objects, the server has %d", seed, len(c.objects), len(s.objects))
		}
		for key, rec := range s.objects {
			if got := c.objects[key].rec; got.UID != rec.UID || got.Version != rec.Version {
				t.Errorf("seed %d: %v is %s@%d, want %s@%d", seed, key, got.UID, got.Version, rec.UID, rec.Version)
			}
		}
	}
}
