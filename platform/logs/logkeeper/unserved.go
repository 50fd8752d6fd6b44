package logkeeper

import (
	"sync"
	"time"
)

// At most maxUnserved types are found not to be served within unservedFor. Anybody who creates
// pods may invent types of owners, and each new type costs a discovery.
const (
	maxUnserved = 100
	unservedFor = 5 * time.Minute
)

// unserved remembers the types of owners that the server does not serve. The zero value
// works. Any goroutine may use it.
type unserved struct {
	mu     sync.Mutex
	served map[string]bool
	until  map[string]time.Time // by type
}

// ask reports whether the server is asked for a type, and if not, how long it is not.
func (u *unserved) ask(typ string, now time.Time) (until time.Time, ask bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for t, end := range u.until {
		if !now.Before(end) {
			delete(u.until, t)
		}
	}
	if end, ok := u.until[typ]; ok {
		return end, false
	}
	if len(u.until) >= maxUnserved && !u.served[typ] {
		return now.Add(unservedFor), false
	}
	return time.Time{}, true
}

// note stores the answer for a type.
func (u *unserved) note(typ string, served bool, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case !served:
		if u.until == nil {
			u.until = map[string]time.Time{}
		}
		u.until[typ] = now.Add(unservedFor)
		delete(u.served, typ)
	case !u.served[typ]:
		if u.served == nil {
			u.served = map[string]bool{}
		}
		u.served[typ] = true
	}
}
