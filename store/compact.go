package store

import (
	"slices"
)

// compactPerChange is the number of records that compaction examines per change. It is
// high enough that compaction keeps up with the freeing of records, and low enough that
// it does not delay a batch.
const compactPerChange = 6

// maxDictionaries is the maximum number of dictionaries in use. A record needs the
// dictionary with which it was packed.
const maxDictionaries = 4

// compact examines up to n records of retired slabs, and moves the live ones to other
// slabs.
func (s *Store) compact(n int) {
	a := &s.arena
	if a.retrainDue() {
		s.endInPlace()
		if a.retrain() {
			s.addDictionary()
		}
	}
	for range n {
		if a.compactor.slab == nil {
			if len(a.retired) == 0 {
				return
			}
			a.compactor = compactor{slab: a.retired[0]}
			a.retired[0] = nil // do not keep the slab in the array
			a.retired = a.retired[1:]
			if a.current == a.compactor.slab {
				a.seal()
			}
		}
		s.compactOne()
	}
}

// compactOne examines the next record of the slab that is being emptied. It removes the
// slab after its last record.
func (s *Store) compactOne() {
	a := &s.arena
	sw := &a.compactor
	if sw.off >= sw.slab.end || sw.slab.dead == len(sw.slab.buf) {
		a.removeSlab(sw.slab)
		*sw = compactor{}
		return
	}
	e := Entry{sw.slab, uint32(sw.off)}
	sw.off += e.length()
	if e.isFreed() {
		return
	}
	if s.relocate(e, (*Store).rewrite) {
		a.addDead(e.slab, e.length())
	}
}

// rewrite stores an entry again. It copies the stored bytes if a new entry would have the
// same ones; otherwise it encodes the record again.
func (s *Store) rewrite(e Entry) Entry {
	a := &s.arena
	live := e.slab.object != nil || s.cfg.Decode != nil && s.cfg.KeepObject == nil
	if e.slab.dict == a.dict && e.slab.columns == a.columns && !live {
		rest, flags := e.bytes()
		after, at := e.reference()
		return a.write(encoded{flags: flags, rest: rest, reference: after, at: at}, a.dict, a.columns)
	}
	s.endInPlace() // extracts, Decode and packing follow
	rec := e.Record()
	if !live {
		values := s.extract(&rec, nil)
		if e.slab.dict == a.dict {
			return a.write(a.replaceColumns(e, values), a.dict, a.columns)
		}
		after, _ := e.reference()
		return a.write(a.encode(&rec, values, true, after), a.dict, a.columns)
	}
	object, err := e.Object()
	if object == nil && err == nil {
		object, err = s.decode(&rec)
	}
	values := s.extract(&rec, object)
	moved := newStandalone(a.replaceColumns(e, values), e.slab.dict, a.columns)
	moved.slab.hold(object, err)
	return moved
}

// removeSlab removes a slab from the arena.
func (a *arena) removeSlab(gone *slab) {
	if i := slices.Index(a.slabs, gone); i >= 0 {
		a.slabs[i] = a.slabs[len(a.slabs)-1]
		a.slabs[len(a.slabs)-1] = nil
		a.slabs = a.slabs[:len(a.slabs)-1]
		a.size -= len(gone.buf)
		a.dead -= gone.dead
	}
}

// trainIfDue tries to build the first dictionary when enough bodies have been stored, and
// repacks the existing records with it.
func (s *Store) trainIfDue(listed bool) {
	a := &s.arena
	if !a.trainingDue(listed) {
		return
	}
	s.endInPlace()
	if !a.trainFirst(s.sample()) {
		return
	}
	s.stats.Dictionaries++
	a.dicts = append(a.dicts, a.dict)
	a.seal()
	a.retire(func(sl *slab) bool { return sl.dict == nil })
	for len(a.retired) > 0 || a.compactor.slab != nil {
		s.compact(1)
	}
}

// sample returns up to maxTrainBodies bodies, evenly spaced over all stored records.
func (s *Store) sample() [][]byte {
	var from []Entry // all entries with bodies
	add := func(e Entry) bool {
		if h := e.header(); h.format() != formatNone {
			from = append(from, e)
		}
		return true
	}
	s.live.objects.Scan(add)
	for _, c := range s.scopes {
		if c.staged != nil {
			c.staged.Scan(add)
		}
	}
	var bodies [][]byte
	stride := max(1, len(from)/maxTrainBodies)
	for i := stride - 1; i < len(from); i += stride {
		h := from[i].header()
		body := from[i].body(nil, &h)
		bodies = append(bodies, body[:min(len(body), sampleBytes)])
	}
	return bodies
}

// addDictionary registers a new dictionary. If there are too many, it retires the records
// of the oldest one.
func (s *Store) addDictionary() {
	a := &s.arena
	s.stats.Dictionaries++
	a.seal()
	a.dicts = append(a.dicts, a.dict)
	if len(a.dicts) <= maxDictionaries {
		return
	}
	oldest := a.dicts[0]
	a.dicts = slices.Delete(a.dicts, 0, 1)
	a.retire(func(sl *slab) bool { return sl.dict == oldest })
}

// retire schedules slabs for emptying.
func (a *arena) retire(which func(*slab) bool) {
	for _, sl := range a.slabs {
		if which(sl) && sl != a.compactor.slab && !slices.Contains(a.retired, sl) {
			a.retired = append(a.retired, sl)
		}
	}
}
