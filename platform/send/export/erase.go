package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/parquet-go/parquet-go"
)

// EraseConfig is what Erase needs.
type EraseConfig struct {
	// Store has the files.
	Store Store
	// Since and Until limit the days: when the oldest erased object was created, and now.
	Since, Until time.Time
	// Erased reports whether an object of a cluster was erased.
	Erased func(clusterUID, uid string) bool
	// Progress is called before each file. It may be nil.
	Progress func(day time.Time)
}

// Erase rewrites the files of a store that have transitions of erased objects, or of objects that
// they control, without these rows. Other files stay as they are. A file is replaced when the new
// one is complete. It returns the days whose files were rewritten.
//
// Errors: those of the store; a file that is not an export.
func Erase(ctx context.Context, c EraseConfig) (days []Day, err error) {
	for day := dayOf(c.Since); !day.After(c.Until); day = day.Add(dayLength) {
		if err := ctx.Err(); err != nil {
			return days, context.Cause(ctx)
		}
		if c.Progress != nil {
			c.Progress(day)
		}
		d, rewritten, err := c.eraseDay(ctx, day)
		if err != nil {
			return days, fmt.Errorf("%s: %w", day.Format(time.DateOnly), err)
		}
		if rewritten {
			days = append(days, d)
		}
	}
	return days, nil
}

// erases reports whether a row goes.
func (c *EraseConfig) erases(r *Row) bool {
	return c.Erased(r.ClusterUID, r.UID) || r.OwnerUID != "" && c.Erased(r.ClusterUID, r.OwnerUID)
}

// eraseDay rewrites the file of a day if it has rows to erase.
func (c *EraseConfig) eraseDay(ctx context.Context, day time.Time) (d Day, rewritten bool, err error) {
	d = Day{Date: day, Name: fileName(day)}
	exported, _, err := inspect(ctx, c.Store, d.Name)
	if err != nil || exported.IsZero() {
		return d, false, err
	}
	r, err := c.Store.Open(ctx, d.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	found := false
	if err := eachRow(r, func(row *Row) error { found = found || c.erases(row); return nil }); err != nil || !found {
		return d, false, err
	}
	file, err := c.Store.Create(ctx, d.Name)
	if err != nil {
		return d, false, err
	}
	defer file.Discard()
	w := newRowWriter(file, exported)
	err = eachRow(r, func(row *Row) error {
		if c.erases(row) {
			return nil
		}
		return w.add(*row)
	})
	if err == nil {
		err = w.rows.Close()
	}
	if err == nil {
		err = file.Commit(ctx)
	}
	d.Rows = w.n
	return d, err == nil, err
}

// eachRow calls each for the rows of a file.
func eachRow(file Reader, each func(*Row) error) error {
	r := parquet.NewGenericReader[Row](io.NewSectionReader(file, 0, file.Size()))
	defer r.Close()
	rows := make([]Row, 256)
	for {
		clear(rows)
		n, err := r.Read(rows)
		for i := range rows[:n] {
			if err := each(&rows[i]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
