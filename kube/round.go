package kube

import (
	"context"
	"slices"
	"sync"
	"time"
)

// askAgain is how long collections believe that a type is not served: the least time
// between two rounds of discovery for their sake.
const askAgain = time.Second

// rounds is what a cluster knows of its types. Whoever needs to know more makes a
// round, one at a time: those who come meanwhile share its result.
type rounds struct {
	turn chan struct{} // holds a token during a round

	mu      sync.Mutex
	catalog *catalog // nil until a round has succeeded
	ended   uint64   // how many rounds have
	last    time.Time
	err     error // of the last round
}

// known returns the catalog, nil if there is none, and the number of rounds so far.
func (d *rounds) known() (*catalog, uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.catalog, d.ended
}

// round returns the catalog of a round of ask that ends after the first seen ones, or
// of one that ended within the last tolerated.
//
// Errors: those of ask; the cause of ctx.
func (d *rounds) round(ctx context.Context, seen uint64, tolerated time.Duration, ask func(context.Context) (*catalog, error)) (*catalog, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	d.mu.Lock()
	before, rounds, err := d.catalog, d.ended, d.err
	recent := rounds > 0 && time.Since(d.last) < tolerated
	d.mu.Unlock()
	if rounds > seen || recent {
		return before, err
	}
	found, err := ask(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err // it tells the others nothing
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		found.keep(before)
		d.catalog = found
	}
	d.ended, d.last, d.err = d.ended+1, time.Now(), err
	return found, err
}

// forget drops a type that was found not to be served, so that the next who needs it
// asks the server.
func (d *rounds) forget(r Resource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.catalog == nil {
		return
	}
	left := slices.DeleteFunc(slices.Clone(d.catalog.types), func(other Resource) bool {
		return other.Name == r.Name && other.groupVersion() == r.groupVersion()
	})
	d.catalog = &catalog{types: left, failing: d.catalog.failing}
}
