package hostile

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stream is a watch that is being served.
type stream struct {
	*call
	began   time.Time
	cursor  uint64       // everything up to this version was read
	upto    uint64       // everything up to this version was sent
	initial bool         // a streaming list
	ended   bool         // the bookmark at the end of the list was sent
	past    []occurrence // the last events that were sent
	meddle  *meddler     // nil if the server behaves
}

// watch serves a watch, correctly unless a meddler acts.
func (k *call) watch(m *meddler) bool {
	st := &stream{call: k, began: time.Now(), meddle: m}
	asked, _ := strconv.ParseUint(k.query.Get("resourceVersion"), 10, 64)
	st.initial = k.query.Get("sendInitialEvents") == "true"
	if st.initial && !k.nature.streaming {
		return k.refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is forbidden")
	}
	k.mu.Lock()
	floor, now := k.tables[k.form.t].floor, k.version
	k.mu.Unlock()
	gone := metav1.Status{}
	switch {
	case asked != 0 && asked < floor:
		gone = metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired, Message: "too old resource version"}
	case asked > now:
		gone = metav1.Status{Code: 504, Reason: metav1.StatusReasonTimeout, Message: "Too large resource version", Details: &metav1.StatusDetails{
			RetryAfterSeconds: 1,
			Causes:            []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}},
		}}
	}
	if gone.Code != 0 && k.random.IntN(2) == 0 {
		return k.send(int(gone.Code), k.form.contentType(false), k.form.status(gone))
	}
	if !k.head(200, k.form.contentType(true), "", -1) {
		return false
	}
	if gone.Code != 0 {
		return k.chunk(k.form.frame("ERROR", k.form.status(gone))) && k.end()
	}
	k.serving(1, m == nil)
	defer k.serving(-1, m == nil)
	st.cursor, st.upto = asked, max(asked, 1)
	if asked == 0 && !st.sendInitial() {
		return false
	}
	return st.run()
}

// serving counts the open watches of a path. A silent watch is not necessarily faulty:
// some types rarely change, and not all servers send bookmarks.
func (k *call) serving(n int, honest bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.pathLocked(k.scope())
	if p.serving += n; honest {
		p.good = time.Now()
	}
}

// sendInitial sends the current objects.
func (st *stream) sendInitial() bool {
	st.mu.Lock()
	st.cursor = st.version
	var all []Object
	for _, o := range st.tables[st.form.t].objects {
		if st.space == "" || o.Namespace == st.space {
			all = append(all, o)
		}
	}
	st.mu.Unlock()
	slices.SortFunc(all, func(a, b Object) int { return cmp.Compare(a.Key(), b.Key()) })
	for _, o := range all {
		if !st.send(occurrence{"ADDED", o}) {
			return false
		}
	}
	if !st.initial || st.meddle != nil && st.meddle.noEnd {
		return true
	}
	st.ended = true
	return st.frame(st.cursor, st.form.bookmark(strconv.FormatUint(st.cursor, 10), true))
}

// run sends events until the watch is over.
func (st *stream) run() bool {
	seconds, _ := strconv.Atoi(st.query.Get("timeoutSeconds"))
	over := time.NewTimer(time.Duration(max(seconds, 1)) * time.Second)
	defer over.Stop()
	bookmark := time.NewTicker(time.Minute)
	defer bookmark.Stop()
	healed := st.healed
	if st.meddle == nil {
		healed = nil
	}
	for {
		st.upto = max(st.cursor, 1)
		events, wake, gone := st.read()
		if gone {
			return st.chunk(st.form.frame("ERROR", st.form.status(metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired}))) && st.end()
		}
		for _, e := range events {
			if !st.send(e) {
				return false
			}
			st.upto = e.object.Version
		}
		st.upto = max(st.cursor, 1)
		act := st.meddle.when()
		select {
		case <-wake:
		case <-act:
			if !st.meddle.act(st) {
				return false
			}
		case <-bookmark.C:
			if !st.frame(st.cursor, st.form.bookmark(strconv.FormatUint(st.cursor, 10), false)) {
				return false
			}
		case <-over.C:
			st.good(time.Now())
			return st.end()
		case <-st.c.gone:
			return false
		case <-st.closed:
			return false
		case <-healed:
			switch st.random.IntN(3) {
			case 0:
				return false
			case 1:
				return st.end()
			}
			return st.hang()
		}
	}
}

// read returns the events since the cursor.
func (st *stream) read() (events []occurrence, wake <-chan struct{}, gone bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	tab := st.tables[st.form.t]
	if st.cursor < tab.floor {
		return nil, nil, true
	}
	for _, e := range tab.history {
		if e.object.Version > st.cursor && (st.space == "" || e.object.Namespace == st.space) {
			events = append(events, e)
		}
	}
	st.cursor = max(st.cursor, st.version)
	return events, tab.wake, false
}

// send sends a true event, after the faults of a meddler.
func (st *stream) send(e occurrence) bool {
	if st.meddle.due() && !st.meddle.act(st) {
		return false
	}
	st.past = append(st.past[max(0, len(st.past)-20):], e)
	if st.meddle.skips() {
		return true
	}
	return st.frame(e.object.Version, st.form.event(e.kind, sent{Object: e.object}))
}

// frame sends a frame with a version.
func (st *stream) frame(version uint64, b []byte) bool {
	st.good(time.Now())
	st.news(version)
	return st.chunk(b)
}
