package livestream

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Change is a change for the log.
type Change struct {
	// Position is the position in the feed. It never decreases from one change to the next.
	Position int64
	// Cluster, ClusterUID, Type ("jobs.batch"), Namespace and Created, the creation of the job,
	// decide which people see the change.
	Cluster, ClusterUID, Type, Namespace string
	Created                              time.Time
	// Seen is when the recorder saw the revision. It counts for the lag if Fresh is true.
	Seen  time.Time
	Fresh bool
	// Removed reports that the job was removed from the history. Several such changes may share the
	// position of the previous change.
	Removed bool
	// Event is the change as browsers receive it. It does not depend on the language.
	Event api.Change
	// Bare is the change without what pods show, for people who may not see them. It is nil if
	// Event has nothing of pods.
	Bare *api.Change
}

// Config configures a Hub.
type Config struct {
	// Sight returns the sight of the person of a context.
	Sight func(context.Context) (Sight, error)
	// Expires returns when the session of a context ends; zero if never. It may be nil.
	Expires func(context.Context) time.Time
	// Person returns the ID of the person of a context; empty without sign-in. It may be nil.
	Person func(context.Context) string
	// Position returns the position up to which lists are current.
	Position func() int64
	// Stale returns since when the database does not answer; zero if it answers. It may be nil.
	Stale func() time.Time
	// Unrecorded returns the parts of the history that are not current. It may be nil.
	Unrecorded func() []api.Unrecorded
	// Done returns the share of the history that is loaded. It is called before Start. It may be
	// nil.
	Done func() float64
	// MaxBrowsers is the maximum number of streams; default 5,000. MaxOfPerson is the maximum for
	// one person; default 200.
	MaxBrowsers, MaxOfPerson int
	// Entries and Bytes limit the log; default 65,536 entries and 48 MB. Entries is rounded up to a
	// power of two.
	Entries, Bytes int
	Logger         *slog.Logger // default: slog.Default()
}

const (
	// BeatEvery is the time between two beats.
	BeatEvery = 5 * time.Second

	// Limits of a tick; the number of bytes is approximate.
	tickEntries, tickBytes = 1000, 256 << 10
	// recentTicks is the number of ticks that are kept for browsers that are slightly behind.
	recentTicks = 8
)

// Hub has the log of changes and its browsers. Any goroutine may use it.
type Hub struct {
	cfg      Config
	browsers atomic.Int64
	persons  persons
	resets   atomic.Int64
	current  atomic.Pointer[tick]
	wake     chan struct{} // signals new changes
	due      chan struct{} // signals that a beat is due

	mu      sync.RWMutex
	ring    *ring
	recent  []*tick
	sent    uint64   // entries before it are in ticks
	beat    api.Beat // the last beat and its number
	beatNo  int
	lags    lags
	epoch   int // counts Reset
	reason  string
	started bool
}

// New returns a hub without changes.
func New(cfg Config) *Hub {
	cfg.MaxBrowsers, cfg.MaxOfPerson, cfg.Entries, cfg.Bytes = or(cfg.MaxBrowsers, 5000), or(cfg.MaxOfPerson, 200), or(cfg.Entries, 1<<16), or(cfg.Bytes, 48<<20)
	count := 1
	for count < cfg.Entries {
		count *= 2
	}
	h := &Hub{cfg: cfg, wake: make(chan struct{}, 1), due: make(chan struct{}, 1), ring: newRing(count, cfg.Bytes)}
	h.current.Store(newTick(0, 0, 0))
	return h
}

func or(n, fallback int) int {
	if n > 0 {
		return n
	}
	return fallback
}

// Append adds changes, which must be in the order of the feed. It does not wait for browsers.
func (h *Hub) Append(changes []Change) {
	if len(changes) == 0 {
		return
	}
	entries, now := entriesOf(changes), time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, e := range entries {
		h.ring.push(e)
		if c := &changes[i]; c.Fresh && !c.Seen.IsZero() {
			h.lags.add(now, now.Sub(c.Seen))
		}
	}
	select {
	case h.wake <- struct{}{}:
	default: // Run will see these changes too
	}
}

// Beat sends a beat soon, because Config.Unrecorded has changed.
func (h *Hub) Beat() {
	select {
	case h.due <- struct{}{}:
	default: // one is due already
	}
}

func entriesOf(changes []Change) []entry {
	entries := make([]entry, len(changes))
	for i := range changes {
		c := &changes[i]
		var bare []byte
		if c.Bare != nil {
			bare = serialize(*c.Bare)
		}
		entries[i] = entry{position: c.Position, cluster: c.Cluster, clusterUID: c.ClusterUID, typ: c.Type, namespace: c.Namespace, created: c.Created, removed: c.Removed, data: serialize(c.Event), bare: bare}
	}
	return entries
}

// Start admits browsers. earlier are the changes after the position floor and before those of
// Append. A browser that continues at floor or later misses no change.
func (h *Hub) Start(floor int64, earlier []Change) {
	entries := entriesOf(earlier)
	h.mu.Lock()
	defer h.mu.Unlock()
	var live []entry
	for n := h.ring.from; n < h.ring.to; n++ {
		live = append(live, *h.ring.at(n))
	}
	h.ring.clear(floor)
	for _, e := range entries {
		if len(live) == 0 || e.position < live[0].position {
			h.ring.push(e)
		}
	}
	for _, e := range live {
		h.ring.push(e)
	}
	h.sent, h.started = h.ring.to, true
	h.publish()
}

// Started reports whether browsers are admitted.
func (h *Hub) Started() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.started
}

// Reset removes all changes from the log and tells each browser to load everything again. reason is
// a value of api.Reset.
func (h *Hub) Reset(floor int64, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring.clear(floor)
	h.sent, h.reason = h.ring.to, reason
	h.epoch++
	h.publish()
}

// tick publishes the changes since the last tick, and a beat if it is due.
func (h *Hub) tick(now time.Time, beat bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if beat {
		h.beat = h.beatLocked(now)
		h.beatNo++
	}
	if h.sent < h.ring.from { // more changes arrived than the log holds
		h.sent = h.ring.from
	}
	for beat || h.sent < h.ring.to {
		h.publish()
		beat = false
	}
}

// publish makes a tick of the next entries. The caller holds the lock.
func (h *Hub) publish() {
	from, size := h.sent, 0
	position := h.ring.floor
	for h.sent < h.ring.to && h.sent-from < tickEntries && size < tickBytes {
		size += len(h.ring.at(h.sent).data)
		h.sent++
	}
	if h.sent > h.ring.from {
		position = h.ring.at(h.sent - 1).position
	}
	t := newTick(from, h.sent, position)
	t.beat, t.beatNo = h.beat, h.beatNo
	if from < h.sent {
		if h.recent = append(h.recent, t); len(h.recent) > recentTicks {
			h.recent = append([]*tick(nil), h.recent[1:]...)
		}
	}
	close(h.current.Swap(t).next)
}

func (h *Hub) beatLocked(now time.Time) api.Beat {
	b := api.Beat{Now: now.UTC(), Position: h.ring.head(), Lag: h.lags.percentile(now)}
	if h.cfg.Stale != nil {
		b.Stale = h.cfg.Stale()
	}
	if h.cfg.Unrecorded != nil {
		b.Unrecorded = h.cfg.Unrecorded()
	}
	return b
}

// Stats are statistics of the hub.
type Stats struct {
	Browsers int     // open streams
	Resets   int64   // how often a browser had to load everything again
	Entries  int     // in the log
	Bytes    int     // of the log
	Lag      float64 // as api.Beat has it
}

// Stats returns the current statistics.
func (h *Hub) Stats() Stats {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return Stats{int(h.browsers.Load()), h.resets.Load(), int(h.ring.to - h.ring.from), h.ring.bytes, h.lags.percentile(time.Now())}
}

// end returns the number of the next entry, the position of the last one, and the epoch.
func (h *Hub) end() (next uint64, head int64, epoch int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.ring.to, h.ring.head(), h.epoch
}

// begin returns the number of the first entry for a browser that continues after a position. ok is
// false if the log does not reach back that far.
func (h *Hub) begin(after int64) (next uint64, ok bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	next, ok = h.ring.behind(after)
	for ok && next > h.ring.from {
		if e := h.ring.at(next - 1); e.position < after || !e.removed {
			break
		}
		next--
	}
	return next, ok
}

// recentFrom returns the tick that begins with an entry; nil if it is no longer kept.
func (h *Hub) recentFrom(number uint64) *tick {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, t := range h.recent {
		if t.from == number {
			return t
		}
	}
	return nil
}

// collect adds to p the entries from number up to end that are in the sight and after the position
// after, until p has size bytes. It returns the number of the next entry. ok is false if the first
// one is no longer in the log.
func (h *Hub) collect(p *piece, number, end uint64, size int, after int64, s Sight) (next uint64, ok bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if number < h.ring.from {
		return number, false
	}
	for number < min(end, h.ring.to) && p.size < size {
		e := h.ring.at(number)
		p.last = e.position
		if (e.position > after || e.removed) && sees(s, e) {
			if e.bare == nil || s.SeesPods(e.cluster, e.namespace) {
				p.add(e.data)
			} else {
				p.add(e.bare)
			}
		}
		number++
	}
	return number, true
}

// state returns the epoch and the reason for its last change, which a browser compares with its own
// epoch.
func (h *Hub) state() (epoch int, reason string, started bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.epoch, h.reason, h.started
}

// beatNow returns a beat for a new browser at a position. The changes after the position follow, so
// the beat must not be ahead of them. The beat also has the key of the person's sight.
func (h *Hub) beatNow(position int64, s Sight) []byte {
	h.mu.RLock()
	defer h.mu.RUnlock()
	beat := seenBeat(h.beatLocked(time.Now()), s)
	beat.Position, beat.Rights = position, s.Key()
	return serialize(beat)
}
