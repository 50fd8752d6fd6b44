package manager

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
)

// syncTimeout is how long functions wait for the informers before the log reports it.
const syncTimeout = 8 * time.Second

// syncGate holds functions back until the informers of a factory are synced.
type syncGate struct {
	factory *informer.Factory
	log     *faultlog.Reporter
	synced  chan struct{}
}

func newSyncGate(factory *informer.Factory, log func() *slog.Logger) *syncGate {
	return &syncGate{factory: factory, synced: make(chan struct{}), log: &faultlog.Reporter{
		Fault: "manager: functions are not called because informers are not synced", Over: "manager: all informers are synced", Logger: log,
	}}
}

// run opens the gate when the informers are synced, and logs when that takes long.
func (g *syncGate) run(ctx context.Context) error {
	defer g.log.Stop()
	var report sync.Mutex // the report ends before the end of the fault
	late := time.AfterFunc(syncTimeout, func() {
		report.Lock()
		defer report.Unlock()
		if err := g.factory.Ready(); err != nil {
			g.log.See(faultlog.State{Kind: "not synced", Err: err, Remedy: kube.Remedy(err)})
		}
	})
	defer late.Stop()
	if g.factory.WaitForSync(ctx) != nil {
		return nil // ctx is done, or the factory has failed, which it returns itself
	}
	late.Stop()
	close(g.synced)
	report.Lock()
	g.log.See(faultlog.State{})
	report.Unlock()
	<-ctx.Done() // the log may write the end of the fault a moment later
	return nil
}

// after returns a function that calls f when the gate is open.
func (g *syncGate) after(f func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-g.synced:
			return f(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}
