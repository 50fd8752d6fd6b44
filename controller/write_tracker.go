package controller

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// writeTracker keeps the writes of reconciles that the informers may not show yet.
type writeTracker struct {
	sources []untypedSource
	cluster *kube.Cluster // the cluster with the Leases; nil if there are none

	mu      sync.Mutex
	byKey   map[wire.Key]*pendingWrites
	last    map[string]wire.Version // by type, in the cluster with the Leases
	sweepAt int                     // number of keys at which shown writes are dropped
}

// pendingWrites are the writes of the reconciles of one key.
type pendingWrites struct {
	writes []kube.Written
	since  time.Time // when a reconcile first had to wait for them; zero if none had to
}

// fewWrites is the number of keys below which the tracker does not look for shown writes.
const fewWrites = 1024

func newWriteTracker(feeds []untypedSource, cluster *kube.Cluster) *writeTracker {
	return &writeTracker{sources: feeds, cluster: cluster, byKey: map[wire.Key]*pendingWrites{}, last: map[string]wire.Version{}, sweepAt: fewWrites}
}

// note adds a write of a key's reconcile. It keeps only the last stored version of each
// type and namespace: an informer that has reached that version has reached the earlier
// ones.
func (w *writeTracker) note(key wire.Key, one kube.Written) {
	followed := false
	for _, f := range w.sources {
		followed = followed || f.follows(one)
	}
	if !followed {
		return
	}
	one.Labels, one.Field = nil, nil // not needed from here on
	w.mu.Lock()
	defer w.mu.Unlock()
	if resource := one.Resource.String(); one.Cluster == w.cluster {
		w.last[resource] = max(w.last[resource], one.Version)
	}
	of := w.byKey[key]
	if of == nil {
		of = &pendingWrites{}
		w.byKey[key] = of
	}
	for i := range of.writes {
		if at := &of.writes[i]; one.Effect == kube.Stored && covers(at, &one) {
			if one.Version > at.Version {
				*at = one
			}
			return
		}
	}
	of.writes = append(of.writes, one)
	if len(w.byKey) > w.sweepAt {
		w.sweepLocked()
	}
}

func covers(a, b *kube.Written) bool {
	return a.Effect == b.Effect && a.Cluster == b.Cluster && a.Key.Namespace == b.Key.Namespace &&
		a.Resource.Group == b.Resource.Group && a.Resource.Name == b.Resource.Name
}

func (w *writeTracker) sweepLocked() {
	for key, of := range w.byKey {
		if len(w.unshown(of.writes)) == 0 {
			delete(w.byKey, key)
		}
	}
	w.sweepAt = max(fewWrites, 2*len(w.byKey))
}

// unshown returns the writes that at least one informer does not show.
func (w *writeTracker) unshown(of []kube.Written) (left []kube.Written) {
	for _, one := range of {
		for _, f := range w.sources {
			if !f.shows(one) {
				left = append(left, one)
				break
			}
		}
	}
	return left
}

// pending returns the writes of a key that some informer does not show, and the time since
// which its reconciles have waited for them.
func (w *writeTracker) pending(key wire.Key) (left []kube.Written, since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.byKey[key]
	if of == nil {
		return nil, time.Time{}
	}
	since = of.since
	if of.writes = w.unshown(of.writes); len(of.writes) == 0 {
		delete(w.byKey, key)
		return nil, since
	}
	if since.IsZero() {
		of.since = time.Now()
	}
	return slices.Clone(of.writes), of.since
}

// waited ends the wait of a key. The next wait starts from zero.
func (w *writeTracker) waited(key wire.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of := w.byKey[key]; of != nil {
		of.since = time.Time{}
	}
}

// waiting returns the number of keys that wait for their writes.
func (w *writeTracker) waiting() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range w.byKey {
		if !of.since.IsZero() {
			n++
		}
	}
	return n
}

// wait waits until all informers show the writes.
func (w *writeTracker) wait(ctx context.Context, of []kube.Written) error {
	for _, one := range of {
		for _, f := range w.sources {
			if err := f.wait(ctx, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrote returns the last versions that reconciles have written, by type, in the form
// "pods=17 trainjobs.example.com=12".
func (w *writeTracker) wrote() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var parts []string
	for _, resource := range slices.Sorted(maps.Keys(w.last)) {
		parts = append(parts, fmt.Sprintf("%s=%v", resource, w.last[resource]))
	}
	return strings.Join(parts, " ")
}
