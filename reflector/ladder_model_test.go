package reflector

import (
	"fmt"
	"io"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

// failure is a way in which all requests of one means fail.
type failure uint8

const (
	works failure = iota
	// The request is refused.
	refused400
	refused403
	refused404
	refused405
	refused422
	refused429
	throttled1s
	refused500
	refused501
	refused502
	refused503
	busy1s
	late504 // after a minute
	noServer
	hangs // no answer
	// The request is granted.
	stalls     // nothing comes, and it never ends
	endsAtOnce // in the regular way
	resets     // after a while
	cuts       // in the middle of a frame
	damages    // a frame cannot be read
	reports500 // an ERROR event
	buffers    // only watches: nothing comes until the regular end
	buffers504 // only watches: so, and the proxy answers 504 after a minute
	failures
)

func (f failure) String() string {
	return [...]string{
		"works", "400", "403", "404", "405", "422", "429", "429 in 1s", "500", "501", "502", "503", "503 in 1s", "504 after 1m", "no server", "hangs",
		"stalls", "ends at once", "resets", "cuts", "damages", "ERROR 500", "buffers", "buffers, 504",
	}[f]
}

// granted reports whether a request is granted although it fails later.
func (f failure) granted() bool { return f >= stalls && f != buffers504 }

// err returns the error of a refusal, or of a body.
func (f failure) err() error { return failureErrors[f] }

var failureErrors = func() (errs [failures]error) {
	for f, word := range map[failure]string{
		refused400: "400", refused403: "403", refused404: "404", refused405: "405", refused422: "422", refused429: "429", refused500: "500",
		refused501: "501", refused502: "502", refused503: "503", late504: "504", buffers504: "504", noServer: "refused", resets: "reset", cuts: "cut", damages: "damaged", reports500: "500",
	} {
		errs[f] = scriptError(word, nil)
	}
	errs[throttled1s], errs[busy1s] = scriptError("429", map[string]string{"retry": "1"}), scriptError("503", map[string]string{"retry": "1"})
	errs[hangs], errs[stalls], errs[endsAtOnce] = errIdle, errIdle, io.EOF
	return errs
}()

// means are the ways of the model: a list as a stream, in pages and in one page, a watch.
const (
	byStream = iota
	byPages
	byOnePage
	byWatch
	ways
)

// weather is how each means fails for a time.
type weather struct {
	until time.Duration
	fails [ways]failure
}

func (w *weather) lists() bool {
	return w.fails[byStream] == works || w.fails[byPages] == works || w.fails[byOnePage] == works
}

func (w *weather) watches() bool {
	f := w.fails[byWatch]
	return f == works || f == buffers || f == buffers504
}

// world is a server with a few objects, and a machine that follows it in virtual time.
type world struct {
	weathers  []weather
	bookmarks bool
	dice      *rand.Rand

	now     time.Duration
	server  [4]wire.Version // objects by key; 0 is deleted
	version wire.Version
	log     []change
	next    time.Duration // the next change

	m        *machine
	store    [4]wire.Version
	staged   *[4]wire.Version
	requests int
	recent   []time.Duration // the last requests
	body     modelBody
}

// change is one change of the server.
type change struct {
	at      time.Duration
	version wire.Version
	key     int
	gone    bool
}

// modelBody is the open answer to a request.
type modelBody struct {
	way     int
	fails   failure
	opened  time.Duration
	due     time.Duration // when the server ends a watch
	mark    time.Duration // the next bookmark
	sent    wire.Version  // of a watch
	item    int           // of a list
	at      wire.Version  // the version of a list
	objects [4]wire.Version
	ended   bool // the initial events
}

var modelKeys = [4]wire.Key{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}

func newWorld(weathers []weather, bookmarks bool, seed uint64) *world {
	cfg, err := Config{}.withDefaults()
	if err != nil {
		panic(err)
	}
	w := &world{weathers: weathers, bookmarks: bookmarks, dice: rand.New(rand.NewPCG(seed, 7)), version: 10, server: [4]wire.Version{5, 6}}
	w.m = newMachine(&cfg, w.dice.Float64)
	w.next = time.Minute
	return w
}

func (w *world) weather() *weather {
	for i := range w.weathers {
		if w.now < w.weathers[i].until {
			return &w.weathers[i]
		}
	}
	return &w.weathers[len(w.weathers)-1]
}

// pass lets time pass, in which the server changes.
func (w *world) pass(d time.Duration) {
	w.now += d
	for w.next <= w.now {
		w.version += wire.Version(1 + w.dice.IntN(3)) // other types change too
		key := w.dice.IntN(4)
		c := change{w.next, w.version, key, w.server[key] != 0 && w.dice.IntN(3) == 0}
		if w.server[key] = c.version; c.gone {
			w.server[key] = 0
		}
		w.log = append(w.log, c)
		w.next += time.Duration(1+w.dice.IntN(400)) * time.Second
	}
}

// run lets the machine follow the server until end, and returns the first violation. settled
// is when the weather has changed for the last time.
func (w *world) run(settled, bound, end time.Duration) string {
	a := w.m.start()
	var in input
	checked := 0
	for w.now < end {
		w.do(a, &in)
		var d delta.Delta
		if problem := w.check(&checked, settled, bound); problem != "" {
			return problem
		}
		a, d = w.m.step(&in)
		w.deliver(d)
		if a.kind == doEnd {
			return fmt.Sprintf("the run ended: %v", a.err)
		}
	}
	return ""
}

// check checks that the store has each change that was due.
func (w *world) check(checked *int, settled, bound time.Duration) string {
	for *checked < len(w.log) && max(w.log[*checked].at, settled)+bound < w.now {
		c := w.log[*checked]
		*checked++
		last := w.weathers[len(w.weathers)-1]
		if !last.lists() && (!last.watches() || w.m.version == 0) {
			continue // no way works
		}
		if has := w.store[c.key]; !w.m.health.Synced || has < c.version && !(has == 0 && w.deletedSince(c)) {
			return fmt.Sprintf("at %v the store does not have the change of %v; it has version %v of %v, %d requests", w.now, c.at, has, c.version, w.requests)
		}
	}
	h := &w.m.health
	if h.Fault == NoFault && h.Means == Watch && h.Synced {
		const silent = 9 * time.Minute
		for i := len(w.log) - 1; i >= 0 && w.now > settled+silent; i-- {
			if c := w.log[i]; c.at < w.now-silent {
				if has := w.store[c.key]; has < c.version && !(has == 0 && w.deletedSince(c)) {
					return fmt.Sprintf("at %v nothing tells that the change of %v is missing", w.now, c.at)
				}
				break
			}
		}
	}
	return ""
}

// deletedSince reports whether the object of a change was deleted by it or later.
func (w *world) deletedSince(c change) bool {
	for i := len(w.log) - 1; i >= 0 && w.log[i].version >= c.version; i-- {
		if w.log[i].key == c.key && w.log[i].gone {
			return true
		}
	}
	return false
}

func (w *world) deliver(d delta.Delta) {
	switch d.Kind {
	case delta.Begin:
		w.staged = &[4]wire.Version{}
	case delta.Abandon:
		w.staged = nil
	case delta.End:
		w.store, w.staged = *w.staged, nil
	case delta.Upsert, delta.Delete:
		to, key := &w.store, int(d.Record.Name[0]-'a')
		if w.staged != nil {
			to = w.staged
		}
		if to[key] = d.Version; d.Kind == delta.Delete {
			to[key] = 0
		}
	}
}

// do performs an action.
func (w *world) do(a action, in *input) {
	*in = input{}
	switch a.kind {
	case doWait:
		w.pass(a.wait)
		in.kind = inElapsed
	case doRead:
		w.read(a, in)
	default:
		w.open(a, in)
	}
}

func (w *world) open(a action, in *input) {
	w.requests++
	w.recent = append(w.recent, w.now)
	b := modelBody{way: byWatch, opened: w.now, sent: a.version}
	switch {
	case a.initial:
		b.way = byStream
	case a.kind == doList && a.limit == 0:
		b.way = byOnePage
	case a.kind == doList:
		b.way = byPages
	}
	b.fails = w.weather().fails[b.way]
	duration := time.Duration(300+w.dice.IntN(300)) * time.Second
	if a.short {
		duration = shortWatchTimeout
	}
	switch f := b.fails; {
	case f == hangs:
		w.pass(a.wait)
		in.kind, in.err = inFailed, errIdle
	case f == late504 || f == buffers504 && duration > time.Minute:
		w.pass(min(time.Minute, a.wait))
		if in.kind, in.err = inFailed, f.err(); a.wait < time.Minute {
			in.err = errIdle
		}
	case (f == buffers || f == buffers504) && duration > a.wait:
		w.pass(a.wait)
		in.kind, in.err = inFailed, errIdle
	case f == buffers || f == buffers504:
		w.pass(duration)
		in.kind = inOpened
	case f != works && !f.granted():
		w.pass(50 * time.Millisecond)
		in.kind, in.err = inFailed, f.err()
	default:
		w.pass(50 * time.Millisecond)
		in.kind = inOpened
	}
	in.lasted, in.waited = w.now-b.opened, w.now-b.opened
	b.due, b.mark = b.opened+duration, b.opened+time.Minute
	b.at, b.objects = w.version, w.server
	w.body = b
}

// read reads the next part of the answer.
func (w *world) read(a action, in *input) {
	b := &w.body
	switch {
	case b.fails == works || b.fails == buffers || b.fails == buffers504:
		if b.way == byWatch || b.way == byStream && b.ended {
			w.readWatch(a, in)
		} else {
			w.readList(in)
		}
	case b.fails == stalls:
		w.pass(a.wait)
		in.kind, in.err = inBroken, errIdle
	case b.fails == resets:
		w.pass(time.Duration(w.dice.IntN(3000)) * time.Millisecond)
		in.kind, in.err = inBroken, b.fails.err()
	default:
		in.kind, in.err = inBroken, b.fails.err()
	}
	in.lasted, in.waited = w.now-b.opened, w.now-b.opened
}

// readList reads the next object of a list, or its end.
func (w *world) readList(in *input) {
	b := &w.body
	for ; b.item < len(b.objects); b.item++ {
		if v := b.objects[b.item]; v != 0 {
			rec := wire.Record{Key: modelKeys[b.item], Version: v}
			b.item++
			if in.kind, in.rec = inItem, rec; b.way == byStream {
				in.kind, in.event = inEvent, wire.Event{Type: wire.Added, Record: rec}
			}
			return
		}
	}
	b.ended, b.sent = true, b.at
	if in.kind, in.meta.Version = inPageEnd, b.at; b.way == byStream {
		in.kind, in.event = inEvent, wire.Event{Type: wire.Bookmark, Record: wire.Record{Version: b.at}, InitialEventsEnd: true}
	}
}

// readWatch reads the next event of a watch that works.
func (w *world) readWatch(a action, in *input) {
	b, limit := &w.body, w.now+a.wait
	if cut := w.weather().fails[byWatch]; cut != works && b.fails == works { // the weather has changed
		in.kind, in.err = inBroken, syscall.ECONNRESET
		return
	}
	for {
		for i := len(w.log) - 1; i >= 0 && w.log[i].version > b.sent; i-- {
			if i == 0 || w.log[i-1].version <= b.sent {
				c := w.log[i]
				b.sent = c.version
				in.kind, in.event = inEvent, wire.Event{Type: wire.Modified, Record: wire.Record{Key: modelKeys[c.key], Version: c.version}}
				if c.gone {
					in.event.Type = wire.Deleted
				}
				return
			}
		}
		switch {
		case w.now >= b.due:
			in.kind, in.err = inBroken, io.EOF
			return
		case w.bookmarks && w.now >= b.mark:
			b.mark += time.Minute
			b.sent = max(b.sent, w.version)
			in.kind, in.event = inEvent, wire.Event{Type: wire.Bookmark, Record: wire.Record{Version: b.sent}}
			return
		case w.now >= limit:
			in.kind, in.err = inBroken, errIdle
			return
		}
		until := min(b.due, limit, w.next)
		if w.bookmarks {
			until = min(until, b.mark)
		}
		w.pass(max(until-w.now, 0))
	}
}

// bounds of the model; docs/protocol.md has them.
const (
	modelBound = 10 * time.Minute
	modelEnd   = 80 * time.Minute
)

// steady is how each means fails all the time.
func steady(fails [ways]failure) []weather { return []weather{{time.Hour * 1000, fails}} }

func checkWorld(t *testing.T, weathers []weather, bookmarks bool, seed uint64) {
	t.Helper()
	w := newWorld(weathers, bookmarks, seed)
	settled := time.Duration(0)
	if n := len(weathers); n > 1 {
		settled = weathers[n-2].until
	}
	problem := w.run(settled, modelBound, settled+modelEnd)
	if problem == "" {
		problem = w.checkRequests(settled)
	}
	if problem != "" {
		t.Fatalf("%v, bookmarks %v, seed %d: %s", weathers, bookmarks, seed, problem)
	}
}

// checkRequests checks the number of requests in the last hour: at most one in 30 seconds.
func (w *world) checkRequests(settled time.Duration) string {
	n := 0
	for _, at := range w.recent {
		if at > settled+modelEnd-time.Hour {
			n++
		}
	}
	if n > 160 { // waits are random

		return fmt.Sprintf("%d requests in the last hour", n)
	}
	return ""
}

// TestLadderSteady: each way in which one means fails, for each set of means that work, and
// each pair of ways over two means.
func TestLadderSteady(t *testing.T) {
	n := 0
	for f := works + 1; f < failures; f++ {
		for set := range 1 << ways {
			if f == noServer && set != 1<<ways-1 {
				continue // all requests go to one address
			}
			var fails [ways]failure
			for way := range ways {
				if set&(1<<way) != 0 && (way == byWatch || f < buffers) {
					fails[way] = f
				}
			}
			for seed := range uint64(2) {
				checkWorld(t, steady(fails), seed == 0, seed)
				n++
			}
		}
		for g := works + 1; g < failures; g++ {
			for i := range ways {
				for j := range ways {
					if i == j || f == noServer || g == noServer || f >= buffers && i != byWatch || g >= buffers && j != byWatch {
						continue
					}
					var fails [ways]failure
					fails[i], fails[j] = f, g
					checkWorld(t, steady(fails), (f+g)%2 == 0, uint64(n))
					n++
				}
			}
		}
	}
	t.Logf("%d worlds", n)
}

// TestLadderWanders: random failures that begin, end and wander.
func TestLadderWanders(t *testing.T) {
	seed := testinput.Seed(t)
	for i := range testinput.Size(t, 20_000, 1_000_000) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		var weathers []weather
		at := time.Duration(0)
		for range 1 + r.IntN(5) {
			at += time.Duration(1+r.IntN(900)) * time.Second
			w := weather{until: at}
			for way := range ways {
				if r.IntN(2) == 0 {
					continue
				}
				limit := failures
				if way != byWatch {
					limit = buffers
				}
				if w.fails[way] = failure(r.IntN(int(limit))); w.fails[way] == noServer {
					w.fails[way] = works // all requests go to one address
				}
			}
			if outage := r.IntN(8) == 0; outage {
				w.fails = [ways]failure{noServer, noServer, noServer, noServer}
			}
			weathers = append(weathers, w)
		}
		checkWorld(t, weathers, r.IntN(2) == 0, r.Uint64())
	}
}
