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

// Always is the Times of a fault that never expires.
const Always = -1

// maxFaults is the maximum number of armed faults.
const maxFaults = 1000

// Fault is a malfunction to inject. It strikes matching requests that arrive after Inject, and matching watches that
// are already running.
type Fault struct {
	// Match selects the requests that the fault may strike. The zero value matches every request for a resource, and
	// discovery.
	Match Match
	// Times is the total number of strikes: 0 means one, Always means no limit. A watch that continues after a strike
	// can be struck again after one more frame.
	Times int
	// After is the number of units that pass before the fault strikes: frames of a watch (bookmarks count) sent since
	// both the fault and the watch exist; items of a list; matching requests for Respond, Hang and NoEndBookmark, and
	// for all other verbs.
	After int
	// Action is the effect of the fault. It is required.
	Action Action
}

// Match selects requests. A request must match every field that is set.
type Match struct {
	// Verb is the verb of the request; "" matches all verbs.
	Verb Verb
	// Group is the API group; "" matches all groups. The core group has no name: use Resource to select it.
	Group string
	// Resource is the plural, such as "pods"; "" matches all.
	Resource string
	// Namespace is the namespace of the request; "" matches all.
	Namespace string
	// Name is the name of the object; "" matches all objects and collections.
	Name string
	// Where, if not nil, must also return true. It must not block or call the server.
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

	// faultRegistry.mu guards the following fields.
	remaining int // remaining strikes; negative means no limit
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

// Release disarms the fault, and lets the requests continue that stall or hang because of it.
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

// faultRegistry holds the armed faults.
type faultRegistry struct {
	count atomic.Int64 // number of armed faults, so that a server without faults takes no lock for each frame
	mu    sync.Mutex   // guards the following fields
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

// changed returns a channel that is closed when a fault is armed.
func (b *faultRegistry) changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wake
}

func (b *faultRegistry) disarmLocked(i *Injection) {
	b.armed = slices.DeleteFunc(b.armed, func(other *Injection) bool { return other == i })
	b.count.Store(int64(len(b.armed)))
}

// hitLocked counts a strike.
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

// take returns the first fault for the request among those with a wanted action, and counts the strike. due reports
// whether a fault's After has passed.
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

// afterRequests is the due function of faults that count requests.
func afterRequests(i *Injection) bool {
	i.seen++
	return i.seen > i.fault.After
}

// suppressesEndBookmark reports whether a fault leaves out the bookmark that ends a streaming list.
func (b *faultRegistry) suppressesEndBookmark(r Request) bool {
	return b.take(r, func(a Action) bool { return a.kind == actNoEndBookmark }, afterRequests) != nil
}

// Failure returns the Status of an HTTP code, with the reason that a server gives, for Respond and InStreamError.
// retryAfter, in whole seconds, is the time that the client should wait; 0 leaves it out.
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

// reasons are the reasons that servers send with a code.
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
