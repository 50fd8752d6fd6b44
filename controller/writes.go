package controller

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// writes are those that reconciles have made and the informers may not show yet.
type writes struct {
	feeds   []feed
	cluster *kube.Cluster // that has the Leases; nil if there are none

	mu    sync.Mutex
	of    map[wire.Key]*unseen
	last  map[string]wire.Version // by type, of the cluster that has the Leases
	sweep int                     // the number of keys at which those are dropped that are shown
}

// unseen are writes of the reconciles of one key.
type unseen struct {
	writes []kube.Written
	since  time.Time // when a reconcile had to wait for them first; zero if none had
}

// fewWrites is how many keys with writes are nothing to look after.
const fewWrites = 1024

func newWrites(feeds []feed, cluster *kube.Cluster) *writes {
	return &writes{feeds: feeds, cluster: cluster, of: map[wire.Key]*unseen{}, last: map[string]wire.Version{}, sweep: fewWrites}
}

// note adds a write of a key's reconcile. Of those that leave a version the last
// of each type and namespace is kept, since a copy that has reached it has
// reached the others.
func (w *writes) note(key wire.Key, one kube.Written) {
	followed := false
	for _, f := range w.feeds {
		followed = followed || f.follows(one)
	}
	if !followed {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if resource := one.Resource.String(); one.Cluster == w.cluster {
		w.last[resource] = max(w.last[resource], one.Version)
	}
	of := w.of[key]
	if of == nil {
		of = &unseen{}
		w.of[key] = of
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
	if len(w.of) > w.sweep {
		w.sweepLocked()
	}
}

func covers(a, b *kube.Written) bool {
	return a.Effect == b.Effect && a.Cluster == b.Cluster && a.Key.Namespace == b.Key.Namespace &&
		a.Resource.Group == b.Resource.Group && a.Resource.Name == b.Resource.Name
}

func (w *writes) sweepLocked() {
	for key, of := range w.of {
		if len(w.left(of.writes)) == 0 {
			delete(w.of, key)
		}
	}
	w.sweep = max(fewWrites, 2*len(w.of))
}

// left returns those that some informer does not show.
func (w *writes) left(of []kube.Written) (left []kube.Written) {
	for _, one := range of {
		for _, f := range w.feeds {
			if !f.shows(one) {
				left = append(left, one)
				break
			}
		}
	}
	return left
}

// pending returns the writes of a key that are not shown everywhere, and since when
// its reconciles wait for them.
func (w *writes) pending(key wire.Key) (left []kube.Written, since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.of[key]
	if of == nil {
		return nil, time.Time{}
	}
	since = of.since
	if of.writes = w.left(of.writes); len(of.writes) == 0 {
		delete(w.of, key)
		return nil, since
	}
	if since.IsZero() {
		of.since = time.Now()
	}
	return slices.Clone(of.writes), of.since
}

// waited ends the wait of a key: the next starts from scratch.
func (w *writes) waited(key wire.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of := w.of[key]; of != nil {
		of.since = time.Time{}
	}
}

// waiting returns how many keys have to wait.
func (w *writes) waiting() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range w.of {
		if !of.since.IsZero() {
			n++
		}
	}
	return n
}

// wait waits until all informers show some writes.
func (w *writes) wait(ctx context.Context, of []kube.Written) error {
	for _, one := range of {
		for _, f := range w.feeds {
			if err := f.wait(ctx, one); err != nil {
				return err
			}
		}
	}
	return nil
}
