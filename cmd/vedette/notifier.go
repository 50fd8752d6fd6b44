package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// notifier sends messages by the rules of a file, and reloads the file. Any goroutine may read its
// health; run may be called once.
type notifier struct {
	notifierSetup
	d   *sqldb.DB
	log *slog.Logger

	mu  sync.Mutex
	n   *notify.Notifier
	err error // the reason why it does not run
}

// newNotifier returns a notifier, nil without a setup.
func newNotifier(d *sqldb.DB, setup *notifierSetup, log *slog.Logger) *notifier {
	if setup == nil {
		return nil
	}
	return &notifier{notifierSetup: *setup, d: d, log: log}
}

// run plans and sends until ctx is done.
//
// Errors: the cursor has expired or was removed.
func (s *notifier) run(ctx context.Context) error {
	return s.whileWatching(ctx, func(ctx context.Context) error { return s.once(ctx) })
}

// again is the time between attempts of a notifier that cannot run.
const again = time.Minute

// keepRunning is run for a process that also records. If the notifier cannot run, keepRunning
// logs that every minute, and recording continues.
func (s *notifier) keepRunning(ctx context.Context) {
	_ = s.whileWatching(ctx, func(ctx context.Context) error { // it returns after ctx is done
		for {
			if err := s.once(ctx); err != nil {
				s.log.Error("the notifier cannot run and tries again in a minute; recording continues", "err", err)
			}
			_ = pause.For(ctx, again)
			if ctx.Err() != nil {
				return nil
			}
		}
	})
}

// start runs the notifier of a recorder until ctx is done. wait joins its goroutine. A nil
// notifier does nothing.
func (s *notifier) start(ctx context.Context) (wait func()) {
	if s == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.keepRunning(ctx)
	}()
	return func() { <-done }
}

// whileWatching calls do, and reloads the file until do returns.
func (s *notifier) whileWatching(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		config.Watch(ctx, s.file, s.options, s.log, func(c *config.Config) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.file = c
			if s.n != nil {
				s.n.SetConfig(c)
			}
		})
	})
	err := do(ctx)
	cancel()
	watch.Wait()
	return err
}

// once runs a notifier with the file that was loaded last, until ctx is done or the
// notifier fails.
func (s *notifier) once(ctx context.Context) error {
	s.mu.Lock()
	n, err := notify.New(s.d, notify.Config{File: s.file, Logger: s.log, Workers: notify.WorkerOptions{Keep: s.keep}})
	s.n, s.err = n, err
	s.mu.Unlock()
	if err == nil {
		err = explainCursor(n.Run(ctx))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	return err
}

// explainCursor adds the remedy for an unusable cursor.
func explainCursor(err error) error {
	if errors.Is(err, feed.ErrExpired) || errors.Is(err, feed.ErrNoCursor) {
		return fmt.Errorf("%w: no notifier has run for too long; `vedette notify preview` shows what was missed, and `vedette notify reset` begins again from now", err)
	}
	return err
}

// current returns the notifier that runs now, or nil while no notifier runs.
func (s *notifier) current() *notify.Notifier {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// ready returns the joined errors that keep the notifier from sending.
func (s *notifier) ready(ctx context.Context) error {
	s.mu.Lock()
	n, err := s.n, s.err
	s.mu.Unlock()
	switch {
	case err != nil:
		return err
	case n == nil:
		return errors.New("the notifier is starting")
	}
	_, err = n.Health(ctx)
	return err
}
