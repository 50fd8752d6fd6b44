package informer

import (
	"context"
	"sync"
	"time"
)

// run follows the clusters until ctx is done. The caller has called begin.
func (e *engine) run(ctx context.Context) error {
	e.idle.running()
	e.loadFile()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.mu.Lock()
	e.cancelRun = cancel
	e.mu.Unlock()
	applying, halt := context.WithCancel(context.WithoutCancel(ctx))
	defer halt()
	var apply sync.WaitGroup
	apply.Go(func() {
		if err := e.apply(applying); err != nil {
			e.fail(err)
		}
	})
	e.launch(ctx)
	saved := e.keepFile(ctx)
	<-ctx.Done()
	e.end()
	e.producers.join()
	e.queue.Close() // apply still takes what the queue holds
	e.finish(halt, &apply)
	<-saved
	e.consumers.join()
	e.saveLast()
	e.saving.Stop()
	e.bound.log.Stop()
	e.refused.Stop()
	e.stop()
	return e.failed()
}

// abort ends an engine that was never run, with its sequences and handlers.
func (e *engine) abort() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != engineNew {
		return
	}
	e.state = engineStopped
	e.stop()
	for _, r := range e.registrations {
		r.abort()
	}
}

// finish waits until the store has applied everything that was received. It gives up after
// drainTimeout, because a Lossless consumer may not take anything.
func (e *engine) finish(halt context.CancelFunc, apply *sync.WaitGroup) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		apply.Wait()
		close(done)
	})
	limit := time.NewTimer(drainTimeout)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		halt()
	}
	wait.Wait()
}

// launch starts all handlers, and reconcile, which starts the reflectors.
func (e *engine) launch(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state, e.began = engineRuns, time.Now()
	e.producers.open(ctx)
	e.consumers.open(ctx)
	for _, r := range e.registrations {
		r.start()
	}
	e.producers.start(e.reconcile) // the handlers have already subscribed
}

// Run follows the cluster until ctx is done, and then returns nil. It may be called
// once; a stopped informer still shows its last objects. When Run returns, it has joined all
// its goroutines, including those of handlers.
//
// Errors: ErrRunTwice; ErrShared; a type that the server does not serve, unless
// Config.Missing is WaitIfMissing; a field selector that the server refuses; a panic, if
// Config.Panics is StopOnPanic. Other faults of the server do not end Run.
func (i *Informer[T]) Run(ctx context.Context) error {
	if i.shared != nil {
		return ErrShared
	}
	if ran, err := i.TryRun(ctx); ran {
		return err
	}
	return ErrRunTwice
}

// TryRun runs the informer as Run does. It returns false at once if the informer was run
// before or a factory runs it.
func (i *Informer[T]) TryRun(ctx context.Context) (ran bool, err error) {
	if i.shared != nil || !i.engine.begin() {
		return false, nil
	}
	return true, i.engine.run(ctx)
}
