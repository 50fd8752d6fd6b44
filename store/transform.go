package store

import "github.com/vedette-io/vedette/wire"

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
	err := s.panics.catch(rec.Key, func() error {
		s.values[i] = s.extracts[i](s.values[i], rec, object)
		return nil
	})
	if err != nil {
		s.values[i] = s.values[i][:0]
		s.stats.Unindexed++
		s.stats.LastUnindexed = err
		s.report(err)
	}
}

// makeEntry returns a new entry for a record of a tree, whose previous revision is old, if
// there is one. It returns false if the transform refuses the record.
func (s *Store) makeEntry(rec *wire.Record, t *tree, old Entry) (Entry, bool) {
	rec, ok := s.transform(rec)
	if !ok {
		return Entry{}, false
	}
	if !s.keepsObject(rec) {
		return s.pack(rec, t, old), true
	}
	object, err := s.decode(rec)
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
	err = s.panics.catch(rec.Key, func() (err error) { object, err = s.cfg.Decode(*rec); return err })
	return object, err
}

// report passes a fault of a record to Config.Report.
func (s *Store) report(err error) {
	if s.cfg.Report != nil {
		s.cfg.Report(err)
	}
}

// keepsObject reports whether the store keeps the object of a record.
func (s *Store) keepsObject(rec *wire.Record) bool {
	if s.cfg.Decode == nil || s.cfg.KeepObject == nil {
		return s.cfg.Decode != nil
	}
	return s.cfg.KeepObject(len(rec.Body), s.arena.packs(len(rec.Body)))
}

// lastState returns an entry for the state that a deletion carries. No snapshot contains
// it. It returns no entry for a state that cannot be transformed or decoded, because the
// previous state is known.
func (s *Store) lastState(rec *wire.Record) Entry {
	rec, ok := s.transform(rec)
	if !ok {
		return Entry{}
	}
	if !s.keepsObject(rec) {
		return s.arena.storeAlone(rec, nil, true)
	}
	object, err := s.decode(rec)
	if err != nil {
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
	var out wire.Record
	err := s.panics.catch(rec.Key, func() (err error) { out, err = s.cfg.Transform(*rec); return err })
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
