package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/portal/identity"
)

// These bound what is remembered of people.
const (
	sightFor    = 30 * time.Second // how long a sight counts
	staleFor    = 60 * time.Second // how long an answer counts if the API server does not give another
	againAfter  = 5 * time.Second  // when to ask again then
	settleFor   = 2 * time.Second  // how long an answer counts after a binding has changed: the API server may learn of it later than the portal
	maxVisitors = 5000
	maxAsked    = 50 // namespaces that a person has asked for
)

// visitorKey identifies people who see the same.
type visitorKey [sha256.Size]byte

// keyOf returns the key of a person: all that reviews depend on.
func keyOf(p identity.Person) visitorKey {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %v", p.Name, p.Groups, p.In == nil)
	for _, cluster := range slices.Sorted(maps.Keys(p.In)) {
		fmt.Fprintf(sum, " in %q %q", cluster, p.In[cluster])
	}
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		fmt.Fprintf(sum, " extra %q %q", name, p.Extra[name])
	}
	return visitorKey(sum.Sum(nil))
}

// known is what a cluster has said about a person.
type known struct {
	scopes map[string]scope // by type
	at     time.Time
}

// visitor is what is remembered of a person.
type visitor struct {
	person identity.Person
	turn   chan struct{} // held by the request that asks the clusters
	used   time.Time

	sight    *Sight
	until    time.Time // how long sight counts
	expire   func()
	settling bool // a binding has changed
	clusters map[string]known
	asked    []string
	watched  map[string]bool // keys of subjects
	version  int             // grows when a binding changes
}

// visitors remembers people.
type visitors struct {
	mu  sync.Mutex
	all map[visitorKey]*visitor
}

// get returns the visitor of a person, and notes the namespaces that the person asks for. new
// reports that one of them was not noted before.
func (v *visitors) get(p identity.Person, asked []string, now time.Time) (one *visitor, fresh bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := keyOf(p)
	one = v.all[key]
	if one == nil {
		v.shrinkLocked()
		one = &visitor{person: p, turn: make(chan struct{}, 1), clusters: map[string]known{}, watched: map[string]bool{}}
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

// shrinkLocked makes room for one more visitor: it forgets the visitor that was not seen for the
// longest time.
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

// current returns the sight of a visitor while it counts.
func (v *visitors) current(one *visitor, now time.Time) *Sight {
	v.mu.Lock()
	defer v.mu.Unlock()
	if one.sight == nil || !now.Before(one.until) {
		return nil
	}
	return one.sight
}

// set gives a visitor a sight that counts for some time from now. It does not count if a
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

// changed lets the sights of all people whom one of the subjects names end.
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

// begin returns what a survey needs of a visitor: it watches the keys of their subjects.
func (v *visitors) begin(one *visitor, watched []string) (asked []string, version int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, key := range watched {
		one.watched[key] = true
	}
	return slices.Clone(one.asked), one.version
}

// lock waits for the turn to ask the clusters.
func (one *visitor) lock(ctx context.Context) error {
	select {
	case one.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (one *visitor) unlock() { <-one.turn }
