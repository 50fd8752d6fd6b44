package portal

import (
	"context"
	"log/slog"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/records"
)

// recordingInterval is the interval at which the heartbeats of recorders are read.
const recordingInterval = 2 * time.Second

// recording tells which parts of the history recorders keep current.
type recording struct {
	history *history.History
	logger  *slog.Logger
	changed func()
	missing atomic.Pointer[[]api.Unrecorded]
}

// unrecorded returns the parts of the history that are not current.
func (r *recording) unrecorded() []api.Unrecorded {
	if all := r.missing.Load(); all != nil {
		return *all
	}
	return nil
}

// run reads heartbeats until ctx ends.
func (r *recording) run(ctx context.Context) {
	fault := faultlog.Reporter{Fault: "the heartbeats of recorders cannot be read", Over: "the heartbeats of recorders can be read again", Logger: func() *slog.Logger { return r.logger }}
	defer fault.Stop()
	for {
		bounded, cancel := context.WithTimeout(ctx, 5*recordingInterval)
		all, err := r.history.Unrecorded(bounded)
		cancel()
		if ctx.Err() != nil {
			return
		}
		fault.See(faultlog.State{Kind: "database", Err: err})
		if err == nil {
			r.set(records.OfUnrecorded(all))
		}
		if pause.For(ctx, recordingInterval) != nil {
			return
		}
	}
}

// set stores the parts that are not current, and reports a change.
func (r *recording) set(missing []api.Unrecorded) {
	if before := r.unrecorded(); !reflect.DeepEqual(before, missing) {
		r.missing.Store(&missing)
		r.changed()
	}
}
