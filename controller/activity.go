package controller

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// Limits of Activity.
const (
	MaxEnded   = 64  // reconciles in Activity.Ended
	MaxFailing = 100 // keys in Activity.Failing
	maxErrText = 1 << 10
)

// Activity is what a controller did last, for people who look for a fault. It is a value, and has
// no objects.
type Activity struct {
	// Ended are the reconciles that ended last, at most MaxEnded, the newest first.
	Ended []Ended
	// Failing are the keys whose last reconcile failed, at most MaxFailing, those that failed
	// last first. Others counts the further ones that were forgotten since the start.
	Failing []Failing
	Others  uint64
}

// Ended is a reconcile that has ended.
type Ended struct {
	Key     wire.Key
	ID      string
	Attempt int
	// Reasons are the last reasons for which the key was enqueued. More counts the earlier ones.
	Reasons []Reason
	More    int
	Began   time.Time
	Took    time.Duration
	Outcome Outcome
	// Err is the begin of the text of the error; empty if there was none.
	Err string
}

// Failing is a key whose last reconcile failed.
type Failing struct {
	Key wire.Key
	// Attempts is the number of its reconciles since its last success.
	Attempts int
	// Last is when it failed last. GivenUp means that it is not retried.
	Last    time.Time
	GivenUp bool
	// Err is the begin of the text of the last error.
	Err string
}

// activityLog records Activity in bounded memory. A reconcile that succeeds allocates nothing.
// statsRecorder.mu guards it.
type activityLog struct {
	ended   [MaxEnded]Ended
	count   uint64 // of all reconciles; the next place is count modulo MaxEnded
	failing map[wire.Key]Failing
	others  uint64
}

// record records the end of a reconcile.
func (l *activityLog) record(r *reconcile, o Outcome, err error) {
	e := &l.ended[l.count%MaxEnded]
	l.count++
	*e = Ended{Key: r.key, ID: r.id, Attempt: r.attempt, Reasons: r.reasons, More: r.more, Began: r.start, Took: time.Since(r.start), Outcome: o}
	switch o {
	case Done, Requeued:
		delete(l.failing, r.key)
		return
	case Interrupted:
		e.Err = errText(err)
		return
	}
	e.Err = errText(err)
	if _, known := l.failing[r.key]; !known {
		l.makeRoom()
	}
	l.failing[r.key] = Failing{Key: r.key, Attempts: r.attempt, Last: e.Began.Add(e.Took), GivenUp: o == GivenUp, Err: e.Err}
}

// makeRoom forgets the key that failed first if there are too many.
func (l *activityLog) makeRoom() {
	if l.failing == nil {
		l.failing = map[wire.Key]Failing{}
	}
	if len(l.failing) < MaxFailing {
		return
	}
	first := slices.MinFunc(slices.Collect(maps.Values(l.failing)), func(a, b Failing) int { return a.Last.Compare(b.Last) })
	delete(l.failing, first.Key)
	l.others++
}

// errText returns the begin of the text of an error. A panic of its method becomes text.
func errText(err error) string {
	text := fmt.Sprint(err)
	if len(text) > maxErrText {
		text = strings.ToValidUTF8(text[:maxErrText], "") + "…"
	}
	return text
}

// activity returns a copy.
func (l *activityLog) activity() (a Activity) {
	for i := range min(l.count, MaxEnded) {
		e := l.ended[(l.count-1-i)%MaxEnded]
		e.Reasons = slices.Clone(e.Reasons)
		a.Ended = append(a.Ended, e)
	}
	a.Failing = slices.SortedFunc(maps.Values(l.failing), func(a, b Failing) int { return b.Last.Compare(a.Last) })
	a.Others = l.others
	return a
}
