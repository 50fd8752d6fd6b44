package informer

import (
	"context"
	"errors"

	"github.com/vedette-io/vedette/store"
)

// Errors of Informer.AtLeastOnce.
var (
	// ErrNothingKept means that WarmStart.AtLeastOnce is not set.
	ErrNothingKept = errors.New("informer: nothing keeps what was not acknowledged: set Config.WarmStart.Path and WarmStart.AtLeastOnce")
	// ErrSecondConsumer means that the informer has or had a consumer.
	ErrSecondConsumer = errors.New("informer: an informer has one consumer of AtLeastOnce in its life: restart the program, which delivers again what was not acknowledged")
)

// KeepsUnacknowledged reports whether Config.WarmStart.AtLeastOnce is set.
func (i *Informer[T]) KeepsUnacknowledged() bool { return i.engine.cfg.WarmStart.AtLeastOnce }

// AtLeastOnce delivers the events of Changes in mode store.Lossless to one consumer that must
// miss no state when the program is killed. It calls handle for one event at a time. The
// consumer calls acknowledge, on any goroutine and in any order, once it has handled the event
// for good, for example after its own commit. A second call has no effect.
//
// The snapshot file holds no state later than the oldest event without an acknowledgment;
// events that the filters of cfg skip need none. A restarted program resumes there: it gets
// the objects of the file as Added events marked Initial, and then every change since. If the
// server no longer has that version, the informer lists instead: states that came and went
// are lost, and Event.Missed marks the changes that the list has shown. The guarantee begins
// with the first event, which waits until the informer is synced and the file exists.
//
// The file belongs to one process: it does not cover another replica.
//
// It returns nil when the informer has stopped and all events are delivered. If it returns
// earlier, the file stays as it is until the program restarts, and the log says so.
//
// Errors: ErrNothingKept; ErrSecondConsumer; the cause of ctx; the error of handle.
func (i *Informer[T]) AtLeastOnce(ctx context.Context, cfg SubscriptionConfig, handle func(ev Event[T], acknowledge func()) error) error {
	e := i.engine
	if !i.KeepsUnacknowledged() {
		return ErrNothingKept
	}
	e.expectRun()
	select {
	case <-e.bound.loaded:
	case <-e.store.Synced():
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-e.stopped.Done():
		return nil
	}
	cfg.Mode = store.Lossless
	f := subscriber{engine: e, logger: i.logger, name: "at least once", cfg: cfg, panics: e.cfg.Panics, synced: func() {}, bound: &e.bound}
	if f.sub = e.bound.join(e.store); f.sub == nil {
		return ErrSecondConsumer
	}
	defer e.bound.leave()
	if e.bound.isLoaded() {
		e.bound.take() // the file has this state
	} else {
		e.saveFile()
	}
	var failed error
	f.run(ctx, func(changes []store.Change) bool {
		for _, c := range changes {
			if ctx.Err() != nil {
				return false
			}
			if failed = handle(Event[T]{i, c}, e.bound.deliver()); failed != nil {
				return false
			}
		}
		return true
	})
	if failed == nil {
		failed = context.Cause(ctx)
	}
	return failed
}
