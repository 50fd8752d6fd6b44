package stats

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// podEnd is the end of a pod.
type podEnd struct {
	id     int64
	at     time.Time
	owner  string // UID of its controller
	node   string
	failed bool
	cause  string // of a failure, see job.Ending.Word
	// stopped is set if the container was stopped from outside.
	stopped bool
}

// compare orders ends by time. Clusters report whole seconds. Within a second, ends by a signal
// come last: when a pod fails, the job's other pods are terminated.
func (e *podEnd) compare(other *podEnd) int {
	rank := func(stopped bool) int {
		if stopped {
			return 1
		}
		return 0
	}
	return cmp.Or(e.at.Compare(other.at), rank(e.stopped)-rank(other.stopped), cmp.Compare(e.cause, other.cause), cmp.Compare(e.id, other.id))
}

// ownerKey returns the key of the owner of a pod: "" if it has none. An owner counts within the
// namespace of the pod.
func ownerKey(clusterUID, namespace, uid string) string {
	if uid == "" {
		return ""
	}
	return clusterUID + "/" + namespace + "/" + uid
}

// podHours caches the ends of pods by hour. The caller holds the lock.
type podHours struct {
	most    int // number of cached ends
	kept    int
	hours   map[int64]*podHour
	byOwner map[string][]*podEnd // in the order of their times
	byID    map[int64]*podEnd
	words   map[string]string // interned names of nodes and causes
}

// podHour are the ends of an hour.
type podHour struct {
	ends   []podEnd
	readAt time.Time
	full   bool // the hour has too many ends, so none are cached
}

func newPodHours(most int) *podHours {
	return &podHours{most: most, hours: map[int64]*podHour{}, byOwner: map[string][]*podEnd{}, byID: map[int64]*podEnd{}, words: map[string]string{}}
}

// lateness are the ages at which an hour is read again to find ends that were recorded late. At the
// first age the hour counts as complete.
var lateness = []time.Duration{10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// endsFresh is how often an incomplete hour is read again.
const endsFresh = 15 * time.Second

// fresh reports whether an hour does not need to be read again.
func (h *podHours) fresh(hour int64, now time.Time) bool {
	kept := h.hours[hour]
	if kept == nil || now.Before(kept.readAt) {
		return false
	}
	end := hourAt(hour + 1)
	if complete := end.Add(lateness[0]); now.Before(complete) {
		return now.Sub(kept.readAt) < endsFresh
	}
	return !slices.ContainsFunc(lateness, func(age time.Duration) bool {
		due := end.Add(age)
		return kept.readAt.Before(due) && !now.Before(due)
	})
}

// put replaces the ends of an hour. If there are too many ends, it drops the oldest hours. It
// returns false if this hour is among them.
func (h *podHours) put(hour int64, ends []podEnd, now time.Time) bool {
	h.drop(hour)
	kept := &podHour{readAt: now, ends: make([]podEnd, 0, len(ends))}
	h.hours[hour] = kept
	for _, e := range ends {
		if h.byID[e.id] != nil { // it is in another hour, or is a duplicate
			continue
		}
		e.node, e.cause = h.word(e.node), h.word(e.cause)
		if of := h.byOwner[e.owner]; len(of) > 0 {
			e.owner = of[0].owner
		} else {
			e.owner = strings.Clone(e.owner)
		}
		kept.ends = append(kept.ends, e)
		added := &kept.ends[len(kept.ends)-1]
		h.byID[e.id] = added
		of := h.byOwner[e.owner]
		i, _ := slices.BinarySearchFunc(of, added, (*podEnd).compare)
		h.byOwner[e.owner] = slices.Insert(of, i, added)
	}
	h.kept += len(kept.ends)
	for h.kept > h.most {
		oldest := hour
		for other := range h.hours {
			oldest = min(oldest, other)
		}
		if h.drop(oldest); oldest == hour {
			h.fill(hour, now)
			return false
		}
	}
	return true
}

// fill marks an hour that has too many ends.
func (h *podHours) fill(hour int64, now time.Time) {
	h.drop(hour)
	h.hours[hour] = &podHour{readAt: now, full: true}
}

// full reports whether an hour has too many ends.
func (h *podHours) full(hour int64) bool {
	kept := h.hours[hour]
	return kept != nil && kept.full
}

// drop removes an hour.
func (h *podHours) drop(hour int64) {
	kept := h.hours[hour]
	if kept == nil {
		return
	}
	delete(h.hours, hour)
	h.kept -= len(kept.ends)
	for i := range kept.ends {
		e := &kept.ends[i]
		delete(h.byID, e.id)
		of := slices.DeleteFunc(h.byOwner[e.owner], func(other *podEnd) bool { return other == e })
		if len(of) == 0 {
			delete(h.byOwner, e.owner)
		} else {
			h.byOwner[e.owner] = of
		}
	}
}

// maxWords is the maximum number of interned names of nodes and causes.
const maxWords = 100_000

func (h *podHours) word(word string) string {
	if shared, ok := h.words[word]; ok {
		return shared
	}
	if len(h.words) >= maxWords {
		clear(h.words)
	}
	word = strings.Clone(word)
	h.words[word] = word
	return word
}

// since returns the instant from which all hours up to the end of a window are cached. It returns
// the end if the last hour is not.
func (h *podHours) since(w Window) time.Time {
	first, last := hoursOf(w)
	hour := last
	for hour >= first && h.hours[hour] != nil && !h.hours[hour].full {
		hour--
	}
	return earlier(later(w.From, hourAt(hour+1)), w.To)
}

// hoursOf returns the first and the last hour of a window.
func hoursOf(w Window) (first, last int64) {
	return w.From.Unix() / 3600, w.To.Add(-1).Unix() / 3600
}

func hourAt(hour int64) time.Time { return time.Unix(hour*3600, 0) }
