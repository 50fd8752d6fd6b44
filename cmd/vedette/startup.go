package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// startup is the start of a command that runs until it is ended. It waits while a cluster or the
// database does not answer. Any goroutine may ask for its error.
type startup struct {
	failFast bool
	level    slog.Level // of the log

	mu  sync.Mutex
	err error // why it waits
}

func (s *startup) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&s.failFast, "fail-fast", false, "end at once if a cluster or the database does not answer at the start, instead of waiting for it")
	f.TextVar(&s.level, "log-level", slog.LevelInfo, "least level of the lines of the log: debug, info, warn or error")
}

// logger returns the log of the command.
func (s *startup) logger(con *console.Console) *slog.Logger {
	return slog.New(slog.NewTextHandler(console.LogWriter{Con: con}, &slog.HandlerOptions{Level: s.level}))
}

// Between attempts to start.
const (
	firstStartDelay = time.Second
	maxStartDelay   = 10 * time.Second
)

// until calls do until it succeeds. It logs each change of the reason why it waits.
//
// Errors: those of do that waiting does not fix, and all of them with --fail-fast; the cause of ctx.
func (s *startup) until(ctx context.Context, log *slog.Logger, do func(context.Context) error) error {
	report := faultlog.Reporter{Fault: "cannot start yet, and tries again", Over: "the start continues", Logger: func() *slog.Logger { return log }}
	for delay := firstStartDelay; ; delay = min(2*delay, maxStartDelay) {
		err := do(ctx)
		if err != nil && (s.failFast || ctx.Err() != nil || !preflight.Transient(err)) {
			report.Stop()
			return err
		}
		s.set(err)
		state := faultlog.State{}
		if err != nil {
			state.Err = startError{err}
		}
		report.See(state)
		if err == nil {
			return nil
		}
		if err := pause.For(ctx, delay); err != nil {
			report.Stop()
			return err
		}
	}
}

// startError is an error whose text is the one for people, with its remedy.
type startError struct{ error }

func (s startError) Error() string { return explain.Line(s.error) }
func (s startError) Unwrap() error { return s.error }

func (s *startup) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// notReady returns why the command has not started.
func (s *startup) notReady(otherwise string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.err, errors.New(otherwise))
}

// database opens a database to read what recorders write, as soon as a recorder has made it.
func (s *startup) database(ctx context.Context, url string, log *slog.Logger) (d *sqldb.DB, err error) {
	err = s.until(ctx, log, func(ctx context.Context) (err error) {
		d, err = settings.OpenDatabase(ctx, url)
		return err
	})
	return d, err
}
