package watchview

import (
	"context"
	"errors"
	"sync"
	"time"
)

// othersTime is how long the first failure waits for those of other types, so that one run of the
// command names all of them.
const othersTime = 2 * time.Second

// failures collects the errors of types that cannot be watched at all.
type failures struct {
	all []Followed

	mu   sync.Mutex
	errs []error // by the index of the type; nil while it has not failed
}

func newFailures(all []Followed) *failures { return &failures{all: all, errs: make([]error, len(all))} }

// note notes the error of a type. It reports whether it is the first one.
func (f *failures) note(i int, err error) (first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first = errors.Join(f.errs...) == nil
	f.errs[i] = err
	return first
}

// settled waits until each type has failed or is synced, and returns all errors in the order of the
// types.
func (f *failures) settled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, othersTime)
	defer cancel()
	tick := time.NewTicker(redraw / 2)
	defer tick.Stop()
	for {
		errs, open := f.soFar()
		if !open || ctx.Err() != nil {
			return errors.Join(errs...)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// soFar returns the errors so far. open is set if a type may still fail.
func (f *failures) soFar() (errs []error, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.all {
		h, _ := one.Inf.Health()
		err := f.errs[i]
		if err == nil {
			err = Hopeless(one.Resource.String(), h.Health)
		}
		open = open || err == nil && !h.Synced
		errs = append(errs, err)
	}
	return errs, open
}
