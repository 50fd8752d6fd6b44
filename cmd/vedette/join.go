package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// joinFlags make a recorder share its work with others.
type joinFlags struct {
	join     bool
	replicas int
	lease    time.Duration
}

func (o *joinFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.join, "join", false, "share the work with the other recorders of this database that join: each records some of the shards, which are types, namespaces and clusters")
	f.DurationVar(&o.lease, "join-lease", shard.DefaultLease, "with --join, time without a sign of life after which others take over from a recorder")
	f.IntVar(&o.replicas, "replicas-per-shard", shard.DefaultReplicas, "with --join, number of recorders of each shard; the same for all of them")
}

// coordinator returns a coordinator, or nil without --join.
//
// Errors: an invalid setting.
func (o *joinFlags) coordinator(d *sqldb.DB, name string, from *settings.Settings, log *slog.Logger) (*shard.Coordinator, error) {
	if o.replicas < 1 {
		return nil, fmt.Errorf("%s: %d recorders for each shard: want at least 1", from.Origin("replicas-per-shard"), o.replicas)
	}
	if o.lease < time.Second {
		return nil, fmt.Errorf("%s is %v: want at least 1s", from.Origin("join-lease"), o.lease)
	}
	if !o.join {
		return nil, nil
	}
	return shard.New(shard.Config{DB: d, Name: name, Replicas: o.replicas, Lease: o.lease, Program: version(), Logger: log})
}

// runCoordinator runs a coordinator until the returned function is called. nil is allowed.
func runCoordinator(ctx context.Context, c *shard.Coordinator) (leave func()) {
	if c == nil {
		return func() {}
	}
	// The last batches of the recorders need the leases after ctx has ended.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { _ = c.Run(ctx) }) // it logs its faults, and returns no error
	return func() {
		cancel()
		work.Wait()
	}
}
