package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/portal/identity"
)

// Limits of the cache of people.
const (
	sightFor    = 30 * time.Second // how long a sight is valid
	staleFor    = 60 * time.Second // how long an answer is used while the API server does not answer
	againAfter  = 5 * time.Second  // when to ask again in that case
	settleFor   = 2 * time.Second  // how long an answer is valid after a binding has changed: the API server may see the change later than the portal
	maxVisitors = 5000
	maxAsked    = 50 // namespaces that a person's requests have named
)

// visitorKey identifies people with equal rights.
type visitorKey [sha256.Size]byte

// keyOf returns the key of a person: everything that reviews depend on.
func keyOf(p identity.Person) visitorKey {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q", p.Cluster, p.Name, p.Groups)
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		fmt.Fprintf(sum, " extra %q %q", name, p.Extra[name])
	}
	return visitorKey(sum.Sum(nil))
}

// keysIn returns the keys of subjects of a cluster. Bindings of one cluster say nothing about people
// of another one.
func keysIn(cluster string, subjects []string) []string {
	keys := make([]string, len(subjects))
	for n, key := range subjects {
		keys[n] = cluster + "\x00" + key
	}
	return keys
}

// clusterAnswer is the answer of a cluster about a person.
type clusterAnswer struct {
	scopes map[string]scope // by type
	pods   scope
	lives  *lives // nil: those of an operator, who sees all
	at     time.Time
}

// visitor is the cached state of a person.
type visitor struct {
	person identity.Person
	turn   chan struct{} // held by the request that reviews the person
	used   time.Time

	sight    *Sight
	until    time.Time // how long sight is valid
	expire   func()
	settling bool // a binding has changed
	clusters map[string]clusterAnswer
	asked    []string
	watched  map[string]bool // keys of subjects, by keysIn
	version  int             // incremented when a binding changes
}

// visitors is the cache of people.
type visitors struct {
	mu  sync.Mutex
	all map[visitorKey]*visitor
}

// get returns the visitor of a person, and adds the namespaces that the request names. new reports
// that one of them was not known before.
func (v *visitors) get(p identity.Person, asked []string, now time.Time) (one *visitor, fresh bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := keyOf(p)
	one = v.all[key]
	if one == nil {
		v.shrinkLocked()
		one = &visitor{person: p, turn: make(chan struct{}, 1), clusters: map[string]clusterAnswer{}, watched: map[string]bool{}}
		v.all[key] = one
	}
	one.used = now
	for _, namespace := range asked {
		if namespace == "" || len(namespace) > 63 || slices.Contains(one.asked, namespace) {
			continue
		}
		fresh = true
		if one.asked = append(one.asked, namespace); len(one.asked) > maxAsked {
			one.asked = one.asked[1:]
		}
	}
	return one, fresh
}

// shrinkLocked frees a place for one more visitor: it removes the one that was used longest ago.
func (v *visitors) shrinkLocked() {
	if len(v.all) < maxVisitors {
		return
	}
	var oldest visitorKey
	var used time.Time
	for key, one := range v.all {
		if used.IsZero() || one.used.Before(used) {
			oldest, used = key, one.used
		}
	}
	if expire := v.all[oldest].expire; expire != nil {
		expire()
	}
	delete(v.all, oldest)
}

// current returns the sight of a visitor if it is valid.
func (v *visitors) current(one *visitor, now time.Time) *Sight {
	v.mu.Lock()
	defer v.mu.Unlock()
	if one.sight == nil || !now.Before(one.until) {
		return nil
	}
	return one.sight
}

// set gives a visitor a sight that counts for some time from now. It does not count if set if a
// binding has changed since version.
func (v *visitors) set(one *visitor, s *Sight, now time.Time, lasts time.Duration, version int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if one.expire != nil {
		one.expire()
	}
	if one.settling {
		lasts = min(lasts, settleFor)
		one.settling = false
	}
	one.sight, one.until, one.expire = s, now.Add(lasts), s.expire(lasts)
	if one.version != version {
		one.until = time.Time{}
		one.settling = true
		one.expire()
	}
}

// changed expires the sights of all people that one of the subjects names.
func (v *visitors) changed(subjects []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, one := range v.all {
		if !slices.ContainsFunc(subjects, func(s string) bool { return one.watched[s] }) {
			continue
		}
		one.version++
		one.until = time.Time{}
		one.settling = true
		if one.expire != nil {
			one.expire()
		}
	}
}

// begin returns the inputs of a survey, and begins to watch the keys of the visitor's subjects.
func (v *visitors) begin(one *visitor, watched []string) (asked []string, version int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, key := range watched {
		one.watched[key] = true
	}
	return slices.Clone(one.asked), one.version
}

// lock waits until no other request reviews the visitor.
func (one *visitor) lock(ctx context.Context) error {
	select {
	case one.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (one *visitor) unlock() { <-one.turn }
