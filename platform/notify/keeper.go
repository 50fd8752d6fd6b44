package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// Intervals of the keeper.
const (
	checkEvery = time.Minute
	pruneEvery = time.Hour
)

// keeper removes old deliveries, and logs deliveries that nobody can send. Each replica
// has a keeper; several may work at the same time.
type keeper struct {
	o      *WorkerOptions
	logger func() *slog.Logger
	known  func(channel string) bool // whether a channel is configured
}

// run works until ctx ends.
func (k keeper) run(ctx context.Context) {
	orphans := &faultlog.Reporter{Fault: "deliveries wait for channels that are not configured", Over: "no deliveries wait for channels that are not configured", Logger: k.logger}
	pruning := &faultlog.Reporter{Fault: "old deliveries cannot be removed", Over: "old deliveries are removed again", Logger: k.logger}
	defer orphans.Stop()
	defer pruning.Stop()
	timer := time.NewTicker(checkEvery)
	defer timer.Stop()
	pruned := time.Now().Add(checkEvery - pruneEvery) // the first pruning follows soon after the start
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if s, err := k.orphans(ctx); err == nil { // the senders log faults of the database
			orphans.See(s)
		}
		if time.Since(pruned) < pruneEvery {
			continue
		}
		pruned = time.Now()
		p, err := delivery.Prune(ctx, k.o.DB, k.o.DB.Now().Add(-k.o.Keep))
		if ctx.Err() != nil {
			return
		}
		if pruning.See(faultlog.State{Err: err}); p != (delivery.Pruned{}) {
			k.logger().Info("old deliveries removed", "deliveries", p.Deliveries, "mutes", p.Mutes, "silences", p.Silences, "acts", p.Acts, "subscriptions", p.Subscriptions)
		}
	}
}

// orphans returns a fault if deliveries wait for channels without a configuration.
func (k keeper) orphans(ctx context.Context) (faultlog.State, error) {
	counts, err := delivery.Counts(ctx, k.o.DB)
	if err != nil {
		return faultlog.State{}, err
	}
	var all []error
	for _, c := range counts {
		if (c.State == delivery.Waiting || c.State == delivery.Behind) && !k.known(c.Channel) {
			all = append(all, fmt.Errorf("channel %s: %d deliveries", c.Channel, c.N))
		}
	}
	return faultlog.State{Err: errors.Join(all...), Remedy: "configure the channels again, or drop the deliveries that nobody needs"}, nil
}
