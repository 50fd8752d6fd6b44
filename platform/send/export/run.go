package export

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Config is what Run needs.
type Config struct {
	// DB is the database with the history.
	DB *sqldb.DB
	// Store receives the files.
	Store Store
	// Since and Until limit the exported days. Each day that they touch is exported as a whole,
	// so a file always has all transitions of its day. The default of Since is the first
	// transition, that of Until is Now.
	Since, Until time.Time
	// Replace also writes days that are final, and files that get fewer rows.
	Replace bool
	// Now is the current time. Default: time.Now().
	Now time.Time
	// Progress is called after each page of rows. It may be nil.
	Progress func(day time.Time, rows int64)
}

// Run writes the transitions of a history to a store, the oldest day first, and returns the days
// that have transitions.
//
// Errors: those of the database and of the store; a file of the store that is not an export.
func Run(ctx context.Context, c Config) (days []Day, err error) {
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	if c.Until.IsZero() {
		c.Until = c.Now
	}
	if c.Progress == nil {
		c.Progress = func(time.Time, int64) {}
	}
	x := &exporter{Config: c, history: history.New(c.DB)}
	from := c.Since
	if !from.IsZero() {
		from = dayOf(from)
	}
	for {
		day, err := x.nextDay(ctx, from)
		if err != nil || day.IsZero() {
			return days, err
		}
		d, err := x.export(ctx, day)
		if err != nil {
			return days, fmt.Errorf("%s: %w", day.Format(time.DateOnly), err)
		}
		days = append(days, d)
		from = day.Add(dayLength)
	}
}

// exporter is an export that runs.
type exporter struct {
	Config
	history *history.History
}

// nextDay returns the day of the first transition between a time and Until. It returns zero if
// there is no such transition.
func (x *exporter) nextDay(ctx context.Context, from time.Time) (time.Time, error) {
	if !from.Before(x.Until) {
		return time.Time{}, nil
	}
	p := history.Paging{Limit: 1, Order: history.OldestFirst}
	for c, err := range history.All(ctx, p, x.transitions(history.Filter{Since: from, Until: x.Until})) {
		if err != nil {
			return time.Time{}, err
		}
		return dayOf(c.Happened), nil
	}
	return time.Time{}, nil
}

// transitions returns the list of transitions with a filter.
func (x *exporter) transitions(f history.Filter) func(context.Context, history.Paging) (history.Page[history.Change], error) {
	return func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return x.history.ListTransitions(ctx, f, p)
	}
}

// export writes the file of a day if the store does not have the final one.
func (x *exporter) export(ctx context.Context, day time.Time) (Day, error) {
	d := Day{Date: day, Name: fileName(day)}
	exported, rows, err := inspect(ctx, x.Store, d.Name)
	if err != nil {
		return d, err
	}
	if !exported.IsZero() && isFinal(day, exported) && !x.Replace {
		d.Rows, d.Outcome = rows, Final
		return d, nil
	}
	file, err := x.Store.Create(ctx, d.Name)
	if err != nil {
		return d, err
	}
	defer file.Discard()
	w := newRowWriter(file, x.Now)
	if err := x.write(ctx, day, w); err != nil {
		return d, err
	}
	if w.n < rows && !x.Replace {
		d.Rows, d.Outcome = rows, Kept
		return d, nil
	}
	d.Rows = w.n
	if err := w.rows.Close(); err != nil {
		return d, err
	}
	return d, file.Commit(ctx)
}

// write writes the transitions of a day, page by page.
func (x *exporter) write(ctx context.Context, day time.Time, w *rowWriter) error {
	f := history.Filter{Since: day, Until: day.Add(dayLength)}
	for p := (history.Paging{Limit: 1000, Order: history.OldestFirst}); ; {
		page, err := x.history.ListTransitions(ctx, f, p)
		if err != nil {
			return err
		}
		events, err := stream.EventsOf(ctx, x.history, page.Items)
		if err != nil {
			return err
		}
		for i := range events {
			row, err := rowOf(&events[i])
			if err != nil {
				return err
			}
			if err := w.add(row); err != nil {
				return err
			}
		}
		x.Progress(day, w.n)
		if p.After = page.Next; p.After == "" {
			return nil
		}
	}
}
