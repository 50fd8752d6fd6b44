package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// meddler injects faults into a watch.
type meddler struct {
	acts  []act
	after int // number of events until the next fault
	noEnd bool
	skip  int // number of events to omit
}

// act is one fault. It reports whether the watch continues.
type act struct {
	name string
	lies bool
	do   func(*stream) bool
}

var acts []act

func init() { // in init, because some acts name the table
	acts = []act{
		{"closes", false, (*stream).end1},
		{"resets", false, func(*stream) bool { return false }},
		{"falls silent", false, func(st *stream) bool { st.good(time.Now()); return st.hang() }},
		{"garbage, then continues", false, func(st *stream) bool { return st.chunk(st.noise(300)) }},
		{"garbage, and closes", false, func(st *stream) bool { return st.chunk(st.noise(300)) && st.end1() }},
		{"a frame of a wrong length", false, (*stream).wrongLength},
		{"half a frame", false, (*stream).halfFrame},
		{"an unknown type", false, func(st *stream) bool {
			return st.chunk(st.form.event(one(st.call, "SYNC", "", "added", "DELETE", "\x00"), st.ghost())) && st.mayEnd()
		}},
		{"an ERROR without a Status", false, (*stream).noStatus},
		{"an ERROR", false, func(st *stream) bool {
			return st.chunk(st.form.frame("ERROR", st.form.status(st.anyError()))) && st.mayEnd()
		}},
		{"a wrong kind", false, func(st *stream) bool {
			s := st.ghost()
			s.kind = "Secret"
			return st.chunk(st.form.event("ADDED", s)) && st.mayEnd()
		}},
		{"repeated events", false, (*stream).replay},
		{"a repeated bookmark", false, (*stream).bookmarks},
		{"an old bookmark", false, func(st *stream) bool { return st.chunk(st.form.bookmark("1", false)) && st.mayEnd() }},
		{"a bookmark without a version", false, func(st *stream) bool {
			return st.chunk(st.form.bookmark(one(st.call, "-", "0", "abc", "-7"), false)) && st.mayEnd()
		}},
		{"a deletion of an unknown object", false, func(st *stream) bool { return st.chunk(st.form.event("DELETED", st.ghost())) && st.mayEnd() }},
		{"a trickle", false, (*stream).slow},
		{"no object", false, func(st *stream) bool {
			return st.chunk(st.form.frame(one(st.call, "ADDED", "DELETED", "BOOKMARK", "ERROR"), st.nothing())) && st.mayEnd()
		}},
		{"nothing", false, func(st *stream) bool { return st.form.encoding != asJSON || st.chunk([]byte("\n \n\r\n")) }},

		{"an invented object", true, func(st *stream) bool {
			s := st.oddObject()
			s.odd, s.version, s.kind = sound, "", ""
			return st.lie(one(st.call, "ADDED", "MODIFIED"), s)
		}},
		{"an odd object", true, func(st *stream) bool { return st.lie(one(st.call, "ADDED", "MODIFIED", "DELETED"), st.oddObject()) }},
		{"an odd object", true, func(st *stream) bool { return st.lie(one(st.call, "ADDED", "MODIFIED", "DELETED"), st.oddObject()) }},
		{"a false deletion", true, func(st *stream) bool {
			s := st.anyObject()
			s.Version += uint64(st.random.IntN(maxAhead))
			return st.lie("DELETED", s)
		}},
		{"an older version", true, func(st *stream) bool {
			s := st.anyObject()
			s.Version -= min(s.Version-1, uint64(st.random.IntN(20)))
			s.Payload = "old"
			return st.lie(one(st.call, "ADDED", "MODIFIED", "DELETED"), s)
		}},
		{"an omission", true, func(st *stream) bool { st.meddle.skip = 1 + st.random.IntN(3); return true }},
		{"a bookmark from the future", true, func(st *stream) bool {
			v := st.cursor + uint64(st.random.IntN(maxAhead)) + one[uint64](st.call, 0, 0, far)
			return st.frame(v, st.form.bookmark(strconv.FormatUint(v, 10), false)) && st.mayEnd()
		}},
		{"flipped bytes", true, func(st *stream) bool {
			return st.chunk(st.flip(st.form.event("MODIFIED", st.anyObject()))) && st.mayEnd()
		}},
		{"an early end of the list", true, func(st *stream) bool {
			return st.chunk(st.form.bookmark(strconv.FormatUint(st.cursor, 10), true)) && st.mayEnd()
		}},
	}
}

// meddler returns a meddler with a few faults.
func (k *call) meddler() *meddler {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left > 0 && k.storm.on == watches && len(k.again) > 0 { // every watch gets the same one
		return &meddler{acts: slices.Clone(k.again)}
	}
	m := &meddler{after: max(0, k.random.IntN(8)-4), noEnd: k.random.IntN(8) == 0}
	defer func() { k.again = m.acts }()
	for range 40 {
		if a := &acts[k.random.IntN(len(acts))]; !a.lies || k.nature.liar {
			m.acts = append(m.acts, *a)
		}
		if k.random.IntN(4) == 0 {
			break
		}
	}
	return m
}

// when returns a channel that fires when it is time for a fault without an event.
func (m *meddler) when() <-chan time.Time {
	if m == nil || len(m.acts) == 0 {
		return nil
	}
	if m.after--; m.after >= 0 {
		return time.After(7 * time.Second)
	}
	return time.After(0)
}

// due reports whether a fault is due before the next event.
func (m *meddler) due() bool {
	if m == nil || len(m.acts) == 0 {
		return false
	}
	m.after--
	return m.after < 0
}

func (m *meddler) skips() bool {
	if m == nil || m.skip == 0 {
		return false
	}
	m.skip--
	return true
}

func (m *meddler) act(st *stream) bool {
	if m.after >= 0 || len(m.acts) == 0 {
		return true
	}
	a := m.acts[0]
	m.acts, m.after = m.acts[1:], max(0, st.random.IntN(8)-4)
	st.mu.Lock()
	if st.behaves {
		st.mu.Unlock()
		return false
	}
	st.lied = st.lied || a.lies
	st.noteLocked("  watch %s: %s", st.path, a.name)
	st.mu.Unlock()
	return a.do(st)
}

// end1 ends the watch normally, which is a fault if it has just begun.
func (st *stream) end1() bool {
	if time.Since(st.began) >= time.Second {
		st.good(time.Now())
	}
	st.end()
	return false
}

// mayEnd closes the watch sometimes.
func (st *stream) mayEnd() bool { return st.random.IntN(2) == 0 || st.end1() }

// ghost returns an object that does not exist, with a version that exists.
func (st *stream) ghost() sent {
	return sent{Object: Object{Namespace: "a", Name: fmt.Sprint("ghost-", st.random.IntN(3)), UID: "ghost", Version: st.upto}}
}

// anyObject returns a true object, if there is one.
func (st *stream) anyObject() sent {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, o := range st.tables[st.form.t].objects {
		return sent{Object: o}
	}
	return st.ghost()
}

// lie sends a false object.
func (st *stream) lie(kind string, s sent) bool {
	if s.version != "" || s.Name == "" || s.kind != "" || s.odd != sound {
		return st.chunk(st.form.event(kind, s)) && st.mayEnd()
	}
	return st.frame(s.Version, st.form.event(kind, s)) && st.mayEnd()
}

func (st *stream) replay() bool {
	for _, e := range st.past {
		if st.random.IntN(2) == 0 && !st.chunk(st.form.event(e.kind, sent{Object: e.object})) {
			return false
		}
	}
	return st.mayEnd()
}

// wrongLength sends a frame with a wrong length.
func (st *stream) wrongLength() bool {
	b := bytes.Clone(st.form.event("ADDED", st.ghost()))
	switch st.form.encoding {
	case asProtobuf:
		binary.BigEndian.PutUint32(b, one[uint32](st.call, 0, 1, 1<<20, 1<<31, 1<<32-1))
	case asCBOR:
		b = append([]byte{0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, b...)
	default:
		b = bytes.Repeat([]byte(`{"type":"ADDED","object":`), 1+st.random.IntN(5000))
	}
	return st.chunk(b) && st.mayEnd()
}

func (st *stream) halfFrame() bool {
	b := st.form.event("ADDED", st.ghost())
	if !st.chunk(b[:st.random.IntN(len(b))]) {
		return false
	}
	switch st.random.IntN(3) {
	case 0:
		return st.hang()
	case 1:
		return st.end1()
	}
	return false
}

// noStatus sends an ERROR event with an object that is not a Status.
func (st *stream) noStatus() bool {
	s := st.ghost()
	frame := st.form.event("ERROR", s)
	if st.form.encoding == asJSON && st.random.IntN(2) == 0 {
		frame = st.form.frame("ERROR", []byte(one(st.call, "null", `"x"`, "[]", "5", "{}", `{"kind":"Status","code":"x"}`)))
	}
	return st.chunk(frame) && st.mayEnd()
}

// nothing returns bytes that are not an object.
func (st *stream) nothing() []byte {
	switch st.form.encoding {
	case asProtobuf:
		return one(st.call, nil, []byte("k8s\x00"), []byte("x"))
	case asCBOR:
		return one(st.call, []byte{0xf6}, []byte{0xa0}, []byte{0x01})
	}
	return []byte(one(st.call, "null", "{}", "5", `"x"`, "[]"))
}

func (st *stream) bookmarks() bool {
	for range 1 + st.random.IntN(3) {
		if !st.chunk(st.form.bookmark(strconv.FormatUint(st.upto, 10), st.ended && st.random.IntN(2) == 0)) {
			return false
		}
	}
	return st.mayEnd()
}

// slow sends a bookmark byte by byte.
func (st *stream) slow() bool {
	pause := time.Duration(st.random.Int64N(int64(10 * time.Second)))
	for _, c := range st.form.bookmark(strconv.FormatUint(st.upto, 10), false) {
		if !st.chunk([]byte{c}) || !st.pause(pause) {
			return false
		}
	}
	return true
}
