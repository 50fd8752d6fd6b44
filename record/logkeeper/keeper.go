package logkeeper

import (
	"context"
	"errors"
	"sync/atomic"
)

// Keeper keeps the ends of logs. Create it with New.
type Keeper struct {
	cfg   Config
	count counters
	ran   atomic.Bool
}

// ErrRunTwice is returned by Run if it was called before.
var ErrRunTwice = errors.New("logkeeper: Run was called twice; a keeper runs once")

// New returns a keeper. It sends no request.
//
// Errors: an invalid configuration.
func New(cfg Config) (*Keeper, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	k := &Keeper{cfg: cfg}
	k.count.s.Cluster = cfg.ClusterName
	return k, nil
}

// Run keeps logs until ctx is done, and returns nil then. It may be called once. It has
// joined all its goroutines when it returns.
//
// Errors: ErrRunTwice.
func (k *Keeper) Run(ctx context.Context) error {
	if k.ran.Swap(true) {
		return ErrRunTwice
	}
	<-ctx.Done()
	return nil
}

// Stats returns the counters. Any goroutine may call it.
func (k *Keeper) Stats() Stats { return k.count.get() }
