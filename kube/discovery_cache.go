package kube

import (
	"context"
	"slices"
	"sync"
	"time"
)

// minRefreshInterval is the minimum time between two discovery rounds for collections.
// Until it has passed, collections trust the answer that a type is not served.
const minRefreshInterval = time.Second

// discoveryCache caches the types that a cluster serves. A caller that needs newer data runs a
// discovery round. Only one round runs at a time; concurrent callers share its result.
type discoveryCache struct {
	lock chan struct{} // holds a token during a round

	mu        sync.Mutex
	catalog   *catalog // nil until the first round has succeeded
	refreshes uint64   // number of completed rounds
	refreshed time.Time
	err       error // of the last round
}

// current returns the catalog and the number of rounds so far. The catalog is nil if no
// round has succeeded.
func (d *discoveryCache) current() (*catalog, uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.catalog, d.refreshes
}

// refresh returns the catalog of a round that ends after the first seen rounds, or of a
// round that ended within the duration tolerated. It calls ask to run a round.
//
// Errors: those of ask; the cause of ctx.
func (d *discoveryCache) refresh(ctx context.Context, seen uint64, tolerated time.Duration, ask func(context.Context) (*catalog, error)) (*catalog, error) {
	select {
	case d.lock <- struct{}{}:
		defer func() { <-d.lock }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	d.mu.Lock()
	before, rounds, err := d.catalog, d.refreshes, d.err
	recent := rounds > 0 && time.Since(d.refreshed) < tolerated
	d.mu.Unlock()
	if rounds > seen || recent {
		return before, err
	}
	found, err := ask(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err // a canceled round has no result for other callers
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		found.keepFailing(before)
		d.catalog = found
	}
	d.refreshes, d.refreshed, d.err = d.refreshes+1, time.Now(), err
	return found, err
}

// forget removes a type that the server turned out not to serve. The next lookup of any type
// that is not in the catalog runs a round, even right after the last one: that round has not
// found the type missing.
func (d *discoveryCache) forget(r Resource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.catalog == nil {
		return
	}
	left := slices.DeleteFunc(slices.Clone(d.catalog.types), func(other Resource) bool {
		return other.Name == r.Name && other.groupVersion() == r.groupVersion()
	})
	if len(left) < len(d.catalog.types) {
		d.catalog = &catalog{types: left, failing: d.catalog.failing, asked: d.catalog.asked}
		d.refreshed = time.Time{}
	}
}
