package feed

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errLeaseLost is the cause of the context of Prepare when the lease of the cursor has ended.
var errLeaseLost = errors.New("feed: the lease of the cursor has ended")

// lease is the right of a replica to handle the transitions of a cursor alone. The row of
// the cursor is the lease: its owner, the time when the owner was last seen, and the token,
// which changes with each owner. A replica that was stopped and wakes up finds another
// token, so it moves nothing.
type lease struct {
	d time.Duration // 0: no lease

	mu    sync.Mutex
	held  bool
	token int64                   // token of the cursor under this lease
	until time.Time               // end of the lease by the local monotonic clock
	lost  context.CancelCauseFunc // ends the work that needs the lease; nil: no work
}

// retry returns the time between two attempts to get the lease.
func (l *lease) retry() time.Duration { return min(l.d/4, time.Second) }

// start begins the lease with a token. The lease ends d after asked, the time before the
// row was written.
func (l *lease) start(token int64, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.token, l.until = true, token, asked.Add(l.d)
}

// extend stores the token after a transaction of the holder.
func (l *lease) extend(token int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.token = token
}

// renewed makes the lease last longer, if it is still the one with the token.
func (l *lease) renewed(token int64, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held && l.token == token {
		l.until = asked.Add(l.d)
	}
}

// current returns the token, and whether the lease has not ended.
func (l *lease) current() (token int64, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.token, l.held && time.Now().Before(l.until)
}

// guard makes the end of the lease cancel some work. nil means that the work is done.
func (l *lease) guard(lost context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = lost
}

// overtaken ends the work of the lease with a token, because another replica or an operator
// has moved the cursor.
func (l *lease) overtaken(token int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil && l.token == token {
		l.lost(errLeaseLost)
	}
}

// check ends the work if the lease has ended.
func (l *lease) check() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil && !time.Now().Before(l.until) {
		l.lost(errLeaseLost)
	}
}
