package controller

import "time"

// returnTime is how long a reconcile may run after the end of its context before it is
// overdue.
const returnTime = 8 * time.Second

// overdueTimer fires when a reconcile may have become overdue. The caller locks.
type overdueTimer struct {
	report func()      // called when the timer fires
	timer  *time.Timer // nil before the first reconcile
	due    time.Time   // when it fires; zero if it does not run
}

// await makes the timer fire at a time, or earlier.
func (t *overdueTimer) await(due time.Time) {
	switch {
	case t.timer == nil:
		t.timer = time.AfterFunc(time.Until(due), t.report)
	case t.due.IsZero() || due.Before(t.due):
		t.timer.Reset(time.Until(due))
	default:
		return
	}
	t.due = due
}

// fired records that the timer has fired.
func (t *overdueTimer) fired() { t.due = time.Time{} }

func (t *overdueTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}
