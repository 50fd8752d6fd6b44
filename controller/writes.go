package controller

import (
	"context"
	"sync"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// writes are those that reconciles have made and the informers may not show yet.
type writes struct {
	feeds   []feed
	cluster *kube.Cluster // that has the Leases; nil if there are none

	mu    sync.Mutex
	of    map[wire.Key][]kube.Written
	last  map[string]wire.Version // by type, of the cluster that has the Leases
	sweep int                     // the number of keys at which those are dropped that are shown
}

// fewWrites is how many keys with writes are nothing to look after.
const fewWrites = 1024

func newWrites(feeds []feed, cluster *kube.Cluster) *writes {
	return &writes{feeds: feeds, cluster: cluster, of: map[wire.Key][]kube.Written{}, last: map[string]wire.Version{}, sweep: fewWrites}
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
	for i := range of {
		if one.Effect == kube.Stored && covers(&of[i], &one) {
			if one.Version > of[i].Version {
				of[i] = one
			}
			return
		}
	}
	w.of[key] = append(of, one)
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
		if len(w.unseen(of)) == 0 {
			delete(w.of, key)
		}
	}
	w.sweep = max(fewWrites, 2*len(w.of))
}

// unseen returns those that some informer does not show.
func (w *writes) unseen(of []kube.Written) (left []kube.Written) {
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

// pending returns the writes of a key that are not shown everywhere.
func (w *writes) pending(key wire.Key) []kube.Written {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.of[key]
	if len(of) == 0 {
		return nil
	}
	of = w.unseen(of)
	if len(of) == 0 {
		delete(w.of, key)
	} else {
		w.of[key] = of
	}
	return of
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
