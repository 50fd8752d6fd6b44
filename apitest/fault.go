package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Always is the Times of a fault that never wears off.
const Always = -1

// maxFaults bounds the faults that are armed at once.
const maxFaults = 1000

// Fault is one thing that shall go wrong. It strikes where it matches: a request that comes in after Inject, or a watch
// that is running already.
type Fault struct {
	// Match says what the fault may strike. The zero value matches every request for a resource, and discovery.
	Match Match
	// Times is how often it strikes, in total: 0 means once, Always means without end. A watch that goes on after a
	// strike can be struck again after one more frame.
	Times int
	// After is how much passes first: frames of a watch (bookmarks count) sent since the fault and the watch both
	// exist; items of a list; for Respond, Hang and NoEndBookmark, and for all other verbs, matching requests.
	After int
	// Action is what happens. Required.
	Action Action
}

// Match selects requests. Every field that is set must agree.
type Match struct {
	// Verb is what the request wants; "" matches all.
	Verb Verb
	// Group is the API group; "" matches all, since the core group has no name: use Resource to tell.
	Group string
	// Resource is the plural, such as "pods"; "" matches all.
	Resource string
	// Namespace is that of the request; "" matches all.
	Namespace string
	// Name is the object's; "" matches all, and collections.
	Name string
	// Where, if not nil, has the last word. It must not block, nor call the server.
	Where func(Request) bool
}

func (m Match) matches(r Request) bool {
	return (m.Verb == "" || m.Verb == r.Verb) &&
		(m.Group == "" || m.Group == r.Resource.Group) &&
		(m.Resource == "" || m.Resource == r.Resource.Resource) &&
		(m.Namespace == "" || m.Namespace == r.Namespace) &&
		(m.Name == "" || m.Name == r.Name) &&
		(m.Where == nil || m.Where(r))
}

// Injection is an armed fault. Its methods may be called from any goroutine.
type Injection struct {
	registry *faultRegistry
	fault    Fault

	// The book's mutex guards what follows.
	remaining int // strikes to come, negative without end
	seen      int // requests let through
	hits      int
	struck    chan struct{} // closed by the first strike
	released  chan struct{} // closed by Release
}

// Hits returns how often the fault has struck.
func (i *Injection) Hits() int {
	i.registry.mu.Lock()
	defer i.registry.mu.Unlock()
	return i.hits
}

// Struck returns a channel that is closed when the fault strikes for the first time.
func (i *Injection) Struck() <-chan struct{} { return i.struck }

// Release disarms the fault and lets those go on who stall or hang because of it.
func (i *Injection) Release() {
	i.registry.mu.Lock()
	defer i.registry.mu.Unlock()
	i.remaining = 0
	select {
	case <-i.released:
	default:
		close(i.released)
	}
	i.registry.disarmLocked(i)
}

// Inject arms a fault. Faults that are due at the same point strike in the order in which they were injected.
//
// Errors: ErrFault if it has no Action, or counts are negative, or 1,000 faults are armed already.
func (s *Server) Inject(f Fault) (*Injection, error) {
	switch {
	case f.Action.kind == actNothing:
		return nil, fmt.Errorf("%w: no action", ErrFault)
	case f.After < 0 || f.Times < Always:
		return nil, fmt.Errorf("%w: after %d, %d times", ErrFault, f.After, f.Times)
	}
	if f.Times == 0 {
		f.Times = 1
	}
	return s.faults.arm(f)
}

// faultBook holds the armed faults.
type faultRegistry struct {
	count atomic.Int64 // of the armed ones, so that a server without faults takes no lock for each frame
	mu    sync.Mutex   // guards what follows
	armed []*Injection
	wake  chan struct{} // closed, and replaced, when a fault is armed
}

func (b *faultRegistry) init() { b.wake = make(chan struct{}) }

func (b *faultRegistry) arm(f Fault) (*Injection, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.armed) >= maxFaults {
		return nil, fmt.Errorf("%w: %d are armed already", ErrFault, maxFaults)
	}
	i := &Injection{
		registry: b, fault: f, remaining: f.Times, struck: make(chan struct{}), released: make(chan struct{}),
	}
	b.armed = append(b.armed, i)
	b.count.Store(int64(len(b.armed)))
	close(b.wake)
	b.wake = make(chan struct{})
	return i, nil
}

// changes returns a channel that is closed when a fault is armed.
func (b *faultRegistry) changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wake
}

func (b *faultRegistry) disarmLocked(i *Injection) {
	b.armed = slices.DeleteFunc(b.armed, func(other *Injection) bool { return other == i })
	b.count.Store(int64(len(b.armed)))
}

// strikeLocked counts a strike.
func (b *faultRegistry) hitLocked(i *Injection) {
	if i.hits++; i.hits == 1 {
		close(i.struck)
	}
	if i.remaining > 0 {
		if i.remaining--; i.remaining == 0 {
			b.disarmLocked(i)
		}
	}
}

// take returns the first fault that wants the request, of those whose kind is asked for, and counts the strike.
// due decides whether enough has passed.
func (b *faultRegistry) take(r Request, wanted func(Action) bool, due func(*Injection) bool) *Injection {
	if b.count.Load() == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, i := range b.armed {
		if wanted(i.fault.Action) && i.fault.Match.matches(r) && due(i) {
			b.hitLocked(i)
			return i
		}
	}
	return nil
}

// afterRequests is the due of faults that count requests.
func afterRequests(i *Injection) bool {
	i.seen++
	return i.seen > i.fault.After
}

// takesEndBookmark reports whether a streaming list shall not get the bookmark that ends it.
func (b *faultRegistry) suppressesEndBookmark(r Request) bool {
	return b.take(r, func(a Action) bool { return a.kind == actNoEndBookmark }, afterRequests) != nil
}

// Failure returns the Status of an HTTP code with the reason a server would give, for Respond and InStreamError.
// retryAfter, in whole seconds, is what the client is told to wait; 0 tells it nothing.
func Failure(code int, retryAfter time.Duration) metav1.Status {
	status := metav1.Status{
		Status: metav1.StatusFailure, Code: int32(code), Reason: reasons[code],
		Message: fmt.Sprintf("injected fault: %d %s", code, http.StatusText(code)),
	}
	if retryAfter > 0 {
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: int32((retryAfter + time.Second - 1) / time.Second)}
	}
	return status
}

// reasons are those that servers give with a code.
var reasons = map[int]metav1.StatusReason{
	http.StatusBadRequest:            metav1.StatusReasonBadRequest,
	http.StatusUnauthorized:          metav1.StatusReasonUnauthorized,
	http.StatusForbidden:             metav1.StatusReasonForbidden,
	http.StatusNotFound:              metav1.StatusReasonNotFound,
	http.StatusMethodNotAllowed:      metav1.StatusReasonMethodNotAllowed,
	http.StatusConflict:              metav1.StatusReasonConflict,
	http.StatusGone:                  metav1.StatusReasonExpired,
	http.StatusUnprocessableEntity:   metav1.StatusReasonInvalid,
	http.StatusTooManyRequests:       metav1.StatusReasonTooManyRequests,
	http.StatusInternalServerError:   metav1.StatusReasonInternalError,
	http.StatusServiceUnavailable:    metav1.StatusReasonServiceUnavailable,
	http.StatusGatewayTimeout:        metav1.StatusReasonTimeout,
	http.StatusRequestEntityTooLarge: metav1.StatusReasonRequestEntityTooLarge,
}
