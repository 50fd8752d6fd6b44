package store

import (
	"encoding/binary"
	"reflect"

	"github.com/vedette-io/vedette/wire"
)

// extract returns the values of all indexes for a record. Duplicate values are allowed,
// because the postings of an index are a set.
func (s *Store) extract(rec *wire.Record, object any) [][]string {
	for len(s.values) < len(s.extracts) {
		s.values = append(s.values, nil)
	}
	for i := range s.extracts {
		s.extractOne(i, rec, object)
	}
	return s.values
}

// extractOne computes the values of one index. There are no values if the function
// panics.
func (s *Store) extractOne(i int, rec *wire.Record, object any) {
	s.values[i] = s.values[i][:0]
	values, err := s.callExtract(i, rec, object)
	if err != nil {
		values = s.values[i]
		s.stats.Unindexed++
		s.stats.LastUnindexed = err
		s.report(err)
	}
	s.values[i] = values
}

func (s *Store) callExtract(i int, rec *wire.Record, object any) (values []string, err error) {
	defer s.panics.recovered(rec.Key, &err)
	return s.extracts[i](s.values[i], rec, object), nil
}

// makeEntry returns a new entry for a record of a tree, whose known state is old, if there
// is one. It returns old if that shows the record, so an object that did not change needs
// no memory. It returns false if the transform refuses the record.
func (s *Store) makeEntry(rec *wire.Record, t *tree, old Entry) (Entry, bool) {
	rec, ok := s.transform(rec)
	if !ok {
		return Entry{}, false
	}
	if !old.IsZero() && s.shows(old, rec) {
		return old, true
	}
	if !s.keepsObject(rec, old) {
		return s.pack(rec, t, old), true
	}
	object, err := s.decode(rec)
	if err != nil {
		s.noteUndecoded(err)
	}
	if err != nil && s.cfg.KeepObject != nil {
		return s.pack(rec, t, old), true
	}
	e := s.arena.storeAlone(rec, s.extract(rec, object), !s.cfg.dropsBodies())
	e.slab.hold(object, err)
	return e, true
}

// pack stores a record in the arena, after a sibling in the tree if it has one.
func (s *Store) pack(rec *wire.Record, t *tree, old Entry) Entry {
	a := &s.arena
	after, source := s.referenceFor(t, rec, old)
	a.packLike(old, after)
	e := a.encode(rec, s.extract(rec, nil), true, after)
	a.like = nil
	if e.reference != nil && !source.IsZero() {
		s.follow(source, after)
	}
	return a.write(e, a.dict, a.columns)
}

// decode calls Config.Decode.
func (s *Store) decode(rec *wire.Record) (object any, err error) {
	defer s.panics.recovered(rec.Key, &err)
	return s.cfg.Decode(*rec)
}

// noteUndecoded counts a record whose object cannot be kept, and reports the reason.
func (s *Store) noteUndecoded(err error) {
	s.stats.Undecoded++
	s.stats.LastUndecoded = err
	s.report(err)
}

// report passes a fault of a record to Config.Report.
func (s *Store) report(err error) {
	if s.cfg.Report != nil {
		s.cfg.Report(err)
	}
}

// keepsObject reports whether the store keeps the object of a record. old is the last state.
func (s *Store) keepsObject(rec *wire.Record, old Entry) bool {
	if s.cfg.Decode == nil || s.cfg.KeepObject == nil {
		return s.cfg.Decode != nil
	}
	keeps, err := s.callKeepObject(rec, old)
	if err != nil {
		s.noteUndecoded(err)
	}
	return keeps
}

func (s *Store) callKeepObject(rec *wire.Record, old Entry) (keeps bool, err error) {
	defer s.panics.recovered(rec.Key, &err)
	return s.cfg.KeepObject(Candidate{
		Size: len(rec.Body), Packs: s.arena.packs(len(rec.Body)),
		Decoded: old.slab != nil && old.slab.object != nil, StoreBytes: max(s.live.raw, s.staged),
	}), nil
}

// lastState returns an entry for the state that a deletion carries. No snapshot contains
// it. It returns no entry for a state that cannot be transformed or decoded, because the
// previous state is known.
func (s *Store) lastState(rec *wire.Record) Entry {
	rec, ok := s.transform(rec)
	if !ok {
		return Entry{}
	}
	if !s.keepsObject(rec, Entry{}) {
		return s.arena.storeAlone(rec, nil, true)
	}
	object, err := s.decode(rec)
	if err != nil {
		s.noteUndecoded(err)
		return Entry{}
	}
	e := s.arena.storeAlone(rec, nil, !s.cfg.dropsBodies())
	e.slab.object = object
	return e
}

// transform returns the record as converted by Config.Transform, and false if it was
// refused.
func (s *Store) transform(rec *wire.Record) (*wire.Record, bool) {
	if s.cfg.Transform == nil {
		return rec, true
	}
	out, err := s.callTransform(rec)
	if err != nil {
		s.stats.Refused++
		s.stats.LastRefused = err
		s.report(err)
		return nil, false
	}
	kept := *rec
	kept.Body, kept.Encoding = out.Body, out.Encoding
	return &kept, true
}

func (s *Store) callTransform(rec *wire.Record) (out wire.Record, err error) {
	defer s.panics.recovered(rec.Key, &err)
	return s.cfg.Transform(*rec)
}

// shows reports whether an entry is the revision of a record and has its content.
func (s *Store) shows(e Entry, rec *wire.Record) bool {
	h := e.header()
	if h.version != rec.Version || string(h.uid) != rec.UID {
		return false
	}
	if h.sum != nil && binary.LittleEndian.Uint64(h.sum) == Sum(rec.Body) {
		return true
	}
	if h.format() == formatNone {
		return s.showsObject(e, rec)
	}
	stored := wire.Record{Encoding: wire.Encoding(h.flags & encodingMask)}
	b := skipColumns(h.rest, e.slab.columns)
	raw, n := uvarint(b)
	switch h.format() {
	case formatPlain:
		stored.Body = b[n : n+raw]
	case formatSibling:
		after := e.slab.references.at(int(b[n]))
		s.unpacked, _ = e.slab.dict.UnpackAfter(s.unpacked[:0], s.arena.siblings.bodyOf(after), h.names, b[n+1:], raw)
		stored.Body = s.unpacked
	case formatDictionary, formatS2, formatNone:
		s.unpacked = unpack(s.unpacked[:0], h.format(), e.slab.dict, h.names, b[n:], raw)
		stored.Body = s.unpacked
	}
	return wire.SameContent(&stored, rec)
}

// showsObject is shows for an entry that has only an object. Its body was encoded in
// another way, or shows something else.
func (s *Store) showsObject(e Entry, rec *wire.Record) bool {
	kept, err := e.Object()
	if err != nil {
		return false
	}
	object, err := s.decode(rec)
	return err == nil && reflect.DeepEqual(kept, object)
}
