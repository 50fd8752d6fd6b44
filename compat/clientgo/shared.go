package clientgo

import (
	"hash/maphash"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// sharedObjects decodes each revision once for all readers that read it at about the same
// time. It holds the most recent objects while they are read. Other objects can be found
// while they are in use, if they are large enough. Revisions of an object share equal
// parts.
type sharedObjects struct {
	codec     *codec
	snapshot  func() *store.Snapshot
	keep      func(e store.Entry, object any) (kept any, ok bool) // see store.Store.KeepObject; nil with Live
	demand    *demand
	seed      maphash.Seed
	turns     *turns
	turnBytes atomic.Int64 // size of the bodies of these events

	mu     sync.Mutex
	tuned  int // counts objects until the bounds are computed again
	slots  map[state]*slot
	recent recent
	sweep  *time.Timer // nil if there are no recent objects
}

const (
	// worthWeak is the size of the smallest body whose object can be found after it is no
	// longer recent: a weak pointer costs as much as decoding a small object.
	worthWeak = 1 << 10
	// worthLikeness is the size of the smallest body that is compared with another one.
	worthLikeness = 512
)

func newSharedObjects(c *codec, snapshot func() *store.Snapshot, keep func(store.Entry, any) (any, bool), d *demand) *sharedObjects {
	s := &sharedObjects{codec: c, snapshot: snapshot, keep: keep, demand: d, seed: maphash.MakeSeed(), turns: new(turns), slots: map[state]*slot{}}
	d.began = time.Now()
	s.turnBytes.Store(mostRecentBytes / 8)
	return s
}

// tuneEvery is the number of decoded objects after which the bounds are computed again.
const tuneEvery = 64

// tune computes the bounds of the recent objects. The caller has the lock.
func (s *sharedObjects) tune() {
	if s.tuned--; s.tuned >= 0 {
		return
	}
	now := s.snapshot()
	all := s.demand.wantsAll(now.Len(), time.Now())
	s.tuned, s.recent.most = tuneEvery, boundOf(now.Len(), now.Bytes(), now.HeldBytes(), all || s.demand.manyRead())
	s.turnBytes.Store(int64(boundOf(now.Len(), now.Bytes(), now.HeldBytes(), false).bytes / 8))
}

// stateOf returns the name of the state of an entry. ok is false if its states cannot be
// distinguished.
func (s *sharedObjects) stateOf(e store.Entry) (st state, ok bool) {
	var room [64]byte
	id, version := e.AppendUID(room[:0])
	if len(id) == 0 {
		id = append(id, e.Key().String()...)
	}
	return state{maphash.Bytes(s.seed, id) ^ e.Sum(), version}, version != 0
}

// entry returns the object of an entry.
func (s *sharedObjects) entry(e store.Entry) (any, error) { return s.like(e, store.Entry{}, nil) }

// read is entry for readers of the store, who often read the same object again.
func (s *sharedObjects) read(e store.Entry) (any, error) {
	if obj, err := e.Object(); obj != nil || err != nil {
		return obj, err // the store keeps it
	}
	st, ok := s.stateOf(e)
	if !ok {
		return s.entry(e)
	}
	if obj := s.use(st); obj != nil {
		return obj, nil
	}
	obj, err := s.entry(e)
	s.use(st)
	return obj, err
}

// use returns the object of a state for a reader; nil if it is not decoded.
func (s *sharedObjects) use(st state) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	sl := s.slots[st]
	if sl == nil {
		return nil
	}
	obj := s.alive(sl)
	sl.used = true
	return obj
}

// update returns the objects of two states of one object.
func (s *sharedObjects) update(old, next store.Entry) (before, after any, err error) {
	if after, err = next.Object(); after != nil || err != nil { // the store keeps it
		if err == nil {
			before, err = s.like(old, next, after)
		}
		return before, after, err
	}
	was, ok := s.stateOf(old)
	is, alsoOK := s.stateOf(next)
	if ok && alsoOK {
		if before, after = s.both(was, is); before != nil && after != nil {
			return before, after, nil
		}
	}
	if after == nil {
		if after, err = s.like(next, old, before); err != nil {
			return nil, nil, err
		}
	}
	if before == nil {
		before, err = s.like(old, next, after)
	}
	return before, after, err
}

// both returns the objects of two states, each nil if it is not decoded.
func (s *sharedObjects) both(x, y state) (a, b any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sl := s.slots[x]; sl != nil {
		a = s.alive(sl)
	}
	if sl := s.slots[y]; sl != nil {
		b = s.alive(sl)
	}
	return a, b
}

// like returns the object of an entry. If it is not decoded, it shares what it has in
// common with the object of another entry; that object may be nil.
func (s *sharedObjects) like(e, other store.Entry, likeness any) (any, error) {
	if obj, err := e.Object(); obj != nil || err != nil {
		return obj, err // the store keeps it
	}
	st, ok := s.stateOf(e)
	if !ok {
		return s.codec.decode(e.Record())
	}
	return s.object(st, e, e.Len(), func() (any, error) {
		mine := bodies.Get().(*[]byte)
		defer bodies.Put(mine)
		rec := e.View(mine)
		if likeness == nil || len(rec.Body) < worthLikeness {
			s.demand.decoded()
			return s.codec.decode(rec)
		}
		theirs := bodies.Get().(*[]byte)
		defer bodies.Put(theirs)
		of := other.View(theirs)
		if of.Body == nil {
			return s.codec.decode(rec)
		}
		return s.codec.decodeLike(rec, of, likeness)
	})
}

// bodies are unpacked while they are decoded. Objects do not refer to them.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// record returns the object of a record.
func (s *sharedObjects) record(rec *wire.Record) (any, error) {
	if rec.Version == 0 {
		return s.codec.decode(*rec)
	}
	id := rec.UID
	if id == "" {
		id = rec.Key.String()
	}
	return s.object(state{maphash.String(s.seed, id) ^ store.Sum(rec.Body), rec.Version}, store.Entry{}, len(rec.Body), func() (any, error) { return s.codec.decode(*rec) })
}

// object returns the object of a state, and decodes it if necessary. e is zero if the
// store does not have the state yet.
func (s *sharedObjects) object(st state, e store.Entry, size int, decode func() (any, error)) (any, error) {
	sl, obj := s.slot(st)
	if obj != nil {
		return obj, nil
	}
	sl.decoding.Lock()
	defer sl.decoding.Unlock()
	s.mu.Lock()
	obj = s.alive(sl) // another goroutine was faster
	s.mu.Unlock()
	if obj != nil {
		return obj, nil
	}
	obj, stored, err := s.stored(e, decode)
	s.mu.Lock()
	defer s.mu.Unlock()
	if stored || err != nil || reflect.TypeOf(obj).Kind() != reflect.Pointer {
		s.drop(sl)
		return obj, err
	}
	if s.slots[st] == nil { // it was dropped while this goroutine waited
		s.slots[st] = sl
	}
	sl.held, sl.size = obj, size
	s.tune()
	s.hold(sl)
	return obj, nil
}

// stored decodes the object of an entry, and keeps it in a small store. Then stored is true.
func (s *sharedObjects) stored(e store.Entry, decode func() (any, error)) (obj any, stored bool, err error) {
	if s.keep == nil || e.IsZero() || !s.demand.small() {
		obj, err = decode()
		return obj, false, err
	}
	if now, ok := s.snapshot().Get(e.Key()); ok && now.SameContent(e) {
		if obj, err = now.Object(); obj != nil || err != nil {
			return obj, true, err // it was decoded since the caller got its entry
		}
	}
	if obj, err = decode(); err != nil {
		return nil, false, err
	}
	obj, stored = s.keep(e, obj)
	return obj, stored, nil
}

// slot returns the slot of a state, and its object if it is decoded.
func (s *sharedObjects) slot(st state) (*slot, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sl := s.slots[st]
	if sl == nil {
		sl = &slot{state: st}
		s.slots[st] = sl
		return sl, nil
	}
	return sl, s.alive(sl)
}

// alive returns the object of a slot, which becomes recent. The caller has the lock.
func (s *sharedObjects) alive(sl *slot) any {
	if sl.held != nil {
		sl.asked = true
		return sl.held
	}
	obj := sl.weak.value()
	if obj != nil {
		sl.held = obj
		s.hold(sl)
	}
	return obj
}

// hold adds an object to the recent ones, in place of others. The caller has the lock.
func (s *sharedObjects) hold(sl *slot) {
	s.recent.push(sl)
	s.trim()
	if s.sweep == nil {
		s.sweep = time.AfterFunc(keepFor, s.expire)
	}
}

// trim drops recent objects beyond the bounds. The caller has the lock.
func (s *sharedObjects) trim() {
	for sl := s.recent.pop(); sl != nil; sl = s.recent.pop() {
		s.release(sl)
	}
}

// release drops an object that is no longer recent. The caller has the lock.
func (s *sharedObjects) release(sl *slot) {
	obj := sl.held
	sl.held = nil
	switch {
	case sl.size < worthWeak:
		s.drop(sl)
	case sl.weak.value() != obj: // it has none, or one to an object that was collected
		sl.weak = weaken(obj, func() { s.forget(sl) })
	}
}

// expire drops objects that were not read in the last minute. A program that
// handled thousands of objects at its start would otherwise hold them forever.
func (s *sharedObjects) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep = nil
	idle := s.recent.idle()
	for _, sl := range idle {
		s.release(sl)
	}
	if s.demand.all.Load() && len(idle) > s.recent.count { // few of them are still read
		s.tuned = 0
		s.demand.settle()
		s.tune()
		s.trim()
	}
	if s.recent.count > 0 {
		s.sweep = time.AfterFunc(keepFor, s.expire)
	}
}

// private returns an object that belongs to the caller. If the object stays decoded, it is
// copied, because a copy costs less than to decode it.
func (s *sharedObjects) private(e store.Entry) (any, error) {
	if obj, err := e.Object(); obj != nil || err != nil {
		return copied(obj), err // the store keeps it
	}
	st, ok := s.stateOf(e)
	if !ok {
		return s.codec.decodePrivate(e.Record())
	}
	if !s.holds(st) {
		s.demand.decoded()
		return s.codec.decodePrivate(e.Record())
	}
	obj, err := s.entry(e)
	return copied(obj), err
}

// holds reports whether the object of a state is decoded already, or stays decoded once it
// is.
func (s *sharedObjects) holds(st state) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tune()
	return s.slots[st] != nil || s.demand.all.Load() || s.demand.small()
}

// copied returns a deep copy of an object that has one.
func copied(obj any) any {
	if o, ok := obj.(kruntime.Object); ok {
		return o.DeepCopyObject()
	}
	return obj
}

// forget removes a slot whose object was collected.
func (s *sharedObjects) forget(sl *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sl.held == nil && sl.weak.value() == nil {
		s.drop(sl)
	}
}

// drop removes a slot that leads to no object. The caller has the lock.
func (s *sharedObjects) drop(sl *slot) {
	if s.slots[sl.state] == sl {
		delete(s.slots, sl.state)
	}
}
