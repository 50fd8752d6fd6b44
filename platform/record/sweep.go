package record

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// sweepInterval is the interval at which open parts are looked at. A transaction of a recorder
// does not take as long.
const sweepInterval = 10 * time.Second

// sweepParts looks for the jobs of open parts until ctx ends. The feed gets the jobs whose statuses
// the parts change.
func sweepParts(ctx context.Context, db *sqldb.DB, numbers *feed.Sequencer, fault *faultlog.Reporter) {
	defer fault.Stop()
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	var s parts.Sweeper
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := s.Sweep(ctx, db)
		if ctx.Err() != nil {
			return
		}
		numbers.Wake()
		fault.See(faultlog.State{Kind: "database", Err: err, Remedy: remedy(err)})
	}
}
