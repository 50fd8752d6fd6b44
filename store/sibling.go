package store

import (
	"bytes"
	"strings"

	"github.com/vedette-io/vedette/wire"
)

// referenceFor returns the reference that a record of a tree can be packed after, or nil. old is
// the previous revision of the object, if any. source is set if the reference is new: it has
// the body of that entry, which becomes a sibling if the reference is used.
func (s *Store) referenceFor(t *tree, rec *wire.Record, old Entry) (after *reference, source Entry) {
	a := &s.arena
	if a.dict == nil || t == nil || len(rec.Body) < minSibling || len(rec.Body) >= longBody || s.cfg.Decode != nil && s.cfg.KeepObject == nil {
		return nil, source
	}
	a.siblings.isNew = false
	if a.siblings.skip > 0 {
		a.siblings.skip--
		return nil, source
	}
	if !old.IsZero() && a.siblings.rejected == 0 { // otherwise its reference may be outdated
		if after, _ := old.reference(); after != nil {
			return after, source
		}
	}
	prev, next := t.neighbors(s.searchKey.set(rec.Key, -1, ""))
	for _, near := range [...]Entry{prev, next} {
		if near.IsZero() || !near.isSibling(rec) {
			continue
		}
		if after, _ := near.reference(); after != nil {
			return after, Entry{}
		}
		if source.IsZero() && a.siblings.balance > 0 && a.canBeReference(near) {
			source = near
		}
	}
	if !source.IsZero() {
		after, a.siblings.isNew = source.toReference(), true
	}
	return after, source
}

// packLike makes the next body, of the same object, be packed like that of an entry, if both
// are packed in one format: after a reference, or with the dictionary alone.
func (a *arena) packLike(e Entry, after *reference) {
	if e.IsZero() || e.slab.dict != a.dict {
		return
	}
	h := e.header()
	b := skipColumns(h.rest, e.slab.columns)
	_, n := uvarint(b)
	switch b = b[n:]; h.format() {
	case formatDictionary:
		if after == nil {
			a.like = b
		}
	case formatSibling:
		if e.slab.references.at(int(b[0])) == after {
			a.like = b[1:]
		}
	case formatPlain, formatS2, formatNone:
	}
}

// canBeReference reports whether an entry can become the source of a reference.
func (a *arena) canBeReference(e Entry) bool {
	h := e.header()
	return h.format() == formatDictionary && e.slab.usage != nil && e.slab.dict == a.dict && e.slab.columns == a.columns && e.Len() >= minSibling
}

// isSibling reports whether an entry and a record have one name up to the last dash, as
// objects with generated names do.
func (e Entry) isSibling(rec *wire.Record) bool {
	h := e.header()
	i := bytes.LastIndexByte(h.name, '-')
	return i > 0 && i < len(rec.Name) && strings.LastIndexByte(rec.Name, '-') == i && string(h.name[:i]) == rec.Name[:i] &&
		string(h.namespace) == rec.Namespace && string(h.cluster) == rec.Cluster && string(h.name) != rec.Name
}

// follow packs an entry again, after the reference that was made of it.
func (s *Store) follow(source Entry, after *reference) {
	a := &s.arena
	rest, flags := source.bytes()
	h := source.header()
	b := skipColumns(h.rest, source.slab.columns)
	_, n := uvarint(b)
	at := len(rest) - len(b) + n
	again := append(a.source.rest[:0], rest[:at]...)
	body := a.siblings.bodyOf(after)
	again = a.dict.PackAfter(append(again, 0), body, h.names, body, nil)
	a.source = encoded{flags: flags&^(formatMask<<formatShift) | byte(formatSibling)<<formatShift, rest: again, reference: after, at: at}
	last := source.slab == a.current && int(source.off)+source.length() == a.current.end
	if live, ok := s.live.objects.Find(source); last && (!ok || live != source) {
		a.current.end = int(source.off) // no reader has seen it
		s.relocate(source, (*Store).writeSource)
	} else if s.relocate(source, (*Store).writeSource) {
		a.free(source)
		a.siblings.balance -= source.length()
	}
	a.siblings.balance -= len(again) - at + referenceOverhead // the body of the reference replaces that of the source
	a.source.reference = nil
}

func (s *Store) writeSource(Entry) Entry {
	a := &s.arena
	return a.write(a.source, a.dict, a.columns)
}

// relocate replaces an entry in the trees that contain it by another entry of the same
// revision. It returns false if none does.
func (s *Store) relocate(e Entry, again func(*Store, Entry) Entry) bool {
	var moved Entry
	if live, ok := s.live.objects.Find(e); ok && live == e {
		moved = again(s, e)
		s.live.put(moved)
		s.moved = true
	}
	for _, c := range s.scopes {
		if c.staged == nil {
			continue
		}
		if staged, ok := c.staged.Find(e); ok && staged == e {
			if moved.IsZero() {
				moved = again(s, e)
			}
			c.staged.Set(moved)
		}
	}
	return !moved.IsZero()
}
