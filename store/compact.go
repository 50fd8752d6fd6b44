package store

import (
	"slices"
)

// compactPerChange is how many records are looked at, to free slabs that are
// mostly dead, for each change: enough to be faster than slabs die, and so few
// that no batch waits for it.
const compactPerChange = 6

// maxDictionaries is how many dictionaries may be in use at once: records keep
// the one they were packed with.
const maxDictionaries = 4

// compactor empties one slab after the other.
type compactor struct {
	slab *slab
	off  int
}

// compact looks at up to n records of retired slabs, and stores those that are
// live elsewhere.
func (s *Store) compact(n int) {
	a := &s.arena
	if a.retrain() {
		s.addDictionary()
	}
	for range n {
		if a.compactor.slab == nil {
			if len(a.retired) == 0 {
				return
			}
			a.compactor = compactor{slab: a.retired[0]}
			a.retired[0] = nil // or the array would hold on to the slab
			a.retired = a.retired[1:]
			if a.current == a.compactor.slab {
				a.seal()
			}
		}
		s.compactOne()
	}
}

// compactOne looks at the next record of the slab that is being emptied, and lets
// go of the slab behind the last one.
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
	var moved Entry
	if live, ok := s.live.objects.Find(e); ok && live == e {
		moved = s.rewrite(e)
		s.live.put(moved)
		s.moved = true
	}
	for _, c := range s.scopes {
		if c.staged == nil {
			continue
		}
		if staged, ok := c.staged.Find(e); ok && staged == e {
			if moved.IsZero() {
				moved = s.rewrite(e)
			}
			c.staged.Set(moved)
		}
	}
	if !moved.IsZero() {
		a.addDead(e.slab, e.length())
	}
}

// rewrite stores an entry again. It copies the stored form if a new entry would have
// the same form, and otherwise stores the record from scratch.
func (s *Store) rewrite(e Entry) Entry {
	a := &s.arena
	live := e.slab.object != nil || s.cfg.Decode != nil && s.cfg.KeepObject == nil
	if e.slab.dict == a.dict && e.slab.columns == a.columns && !live {
		rest, flags := e.bytes()
		return a.write(flags, rest, nil, a.dict, a.columns)
	}
	rec := e.Record()
	if !live {
		values := s.extract(&rec, nil)
		if e.slab.dict == a.dict {
			return a.write(e.header().flags, a.replaceColumns(e, values), nil, a.dict, a.columns)
		}
		return a.add(&rec, values)
	}
	object, err := e.Object()
	if object == nil && err == nil {
		object, err = s.cfg.Decode(rec)
	}
	values := s.extract(&rec, object)
	moved := newStandalone(e.header().flags, a.replaceColumns(e, values), nil, e.slab.dict, a.columns)
	moved.slab.hold(object, err)
	return moved
}

// removeSlab lets go of a slab.
func (a *arena) removeSlab(gone *slab) {
	if i := slices.Index(a.slabs, gone); i >= 0 {
		a.slabs[i] = a.slabs[len(a.slabs)-1]
		a.slabs[len(a.slabs)-1] = nil
		a.slabs = a.slabs[:len(a.slabs)-1]
		a.size -= len(gone.buf)
		a.dead -= gone.dead
	}
}

// trainIfDue looks for a first dictionary once it is time to, and packs with it
// what is there.
func (s *Store) trainIfDue(listed bool) {
	a := &s.arena
	if !a.trainingDue(listed) || !a.trainFirst(s.sample()) {
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

// sample returns up to as many bodies as a dictionary is made of, from all over
// what is there.
func (s *Store) sample() [][]byte {
	var from []Entry // all that have bodies
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

// addDictionary follows on a new dictionary: of too many, the oldest is given up.
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

// retire marks slabs to be emptied.
func (a *arena) retire(which func(*slab) bool) {
	for _, sl := range a.slabs {
		if which(sl) && sl != a.compactor.slab && !slices.Contains(a.retired, sl) {
			a.retired = append(a.retired, sl)
		}
	}
}
