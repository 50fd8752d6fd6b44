package clientgo

import "time"

const (
	// mostRecent is the maximum number of decoded objects that an informer holds for their
	// next readers: other handlers, a lister, the old state of the next update.
	mostRecent = 8192
	// mostRecentBytes is the maximum size of all their bodies.
	mostRecentBytes = 8 << 20
)

// keepFor is how long a list or a decoded object is kept after its last read.
const keepFor = time.Minute

// bound limits the recent objects.
type bound struct{ objects, bytes int }

// boundOf returns the bound for the recent objects of a store: their bodies take no more
// than what packing has saved, or a thirty-second part where it saves little. n is how many
// objects the store has, raw the size of all bodies, and held that of the memory that holds
// them. all lifts the limits that do not depend on the store. If packing saves an eighth,
// all objects may be recent ones then, and some old revisions: an object takes about twice
// the size of its body, and in client-go half as much again, so that there is room for
// packed bodies.
func boundOf(n int, raw, held int64, all bool) bound {
	saved := max(raw/32, raw-held)
	if !all {
		return bound{mostRecent, int(min(mostRecentBytes, saved))}
	}
	if held <= raw-raw/8 {
		saved = max(saved, raw+raw/8)
	}
	return bound{max(mostRecent, n+n/8), int(saved)}
}

// recent holds the objects that were decoded last. It drops the oldest one, unless it was
// read from the store since, and objects that are not read for a minute.
type recent struct {
	ring  []*slot // grows to the needed size
	first int
	count int
	bytes int
	most  bound
}

// push adds a slot that holds an object.
func (r *recent) push(sl *slot) {
	if r.count == len(r.ring) {
		ring := make([]*slot, max(64, 2*r.count))
		n := copy(ring, r.ring[r.first:])
		copy(ring[n:], r.ring[:r.first])
		r.ring, r.first = ring, 0
	}
	sl.used, sl.asked = false, true
	r.ring[(r.first+r.count)%len(r.ring)] = sl
	r.count++
	r.bytes += sl.size
}

// pop removes a slot if there are too many, and returns it; else nil. The newest slot
// stays.
func (r *recent) pop() *slot {
	for r.count > r.most.objects || r.bytes > r.most.bytes && r.count > 1 {
		sl := r.shift()
		if !sl.used {
			return sl
		}
		r.push(sl)
	}
	return nil
}

// shift removes the oldest slot.
func (r *recent) shift() *slot {
	sl := r.ring[r.first]
	r.ring[r.first] = nil
	r.first = (r.first + 1) % len(r.ring)
	r.count--
	r.bytes -= sl.size
	return sl
}

// idle removes and returns the slots that were not read since the last call.
func (r *recent) idle() (all []*slot) {
	for range r.count {
		sl := r.shift()
		if !sl.asked {
			all = append(all, sl)
			continue
		}
		used := sl.used
		r.push(sl)
		sl.used, sl.asked = used, false
	}
	if r.count == 0 {
		r.ring, r.first = nil, 0
	}
	return all
}
