package recordtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
)

var transactionTests = []test{
	{"a failure undoes everything", rollback},
	{"changes are seen after the commit", isolation},
	{"a cancelled transaction changes nothing", cancelled},
	{"a wait ends with its context", deadline},
	{"work is bounded", bounded},
}

// rollback: the error of the function is returned unchanged, and no change remains.
func rollback(t *testing.T, d *database) {
	d.migrate()
	err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		if err := tx.Insert(t.Context(), "clusters", clusterColumns, clusterRows(20)); err != nil {
			return err
		}
		return errUndo
	})
	if err != errUndo {
		t.Errorf("the error became %v", err)
	}
	if n := d.number("SELECT COUNT(*) FROM clusters"); n != 0 {
		t.Errorf("%d rows stay", n)
	}
}

// isolation: other connections see rows after the commit, and a transaction sees its own
// rows immediately.
func isolation(t *testing.T, d *database) {
	d.migrate()
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		if err := tx.Insert(ctx, "clusters", clusterColumns, clusterRows(3)); err != nil {
			return err
		}
		if n := d.number("SELECT COUNT(*) FROM clusters"); n != 0 {
			t.Errorf("others see %d rows that are not committed", n)
		}
		var n int
		if err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM clusters").Scan(&n); err != nil || n != 3 {
			t.Errorf("the transaction sees %d of its rows, %v", n, err)
		}
		return nil
	})
	if n := d.number("SELECT COUNT(*) FROM clusters"); n != 3 {
		t.Errorf("others see %d rows that are committed", n)
	}
}

func cancelled(t *testing.T, d *database) {
	d.migrate()
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Transact(ctx, func(tx *sqldb.Tx) error {
		err := tx.Insert(ctx, "clusters", clusterColumns, clusterRows(3))
		cancel()
		return err
	})
	if err == nil {
		t.Error("it was committed")
	}
	if n := d.number("SELECT COUNT(*) FROM clusters"); n != 0 {
		t.Errorf("%d rows stay", n)
	}
}

// deadline: a transaction that waits for a lock gives up while the lock is held, with its
// context or earlier, and the database continues.
func deadline(t *testing.T, d *database) {
	d.migrate()
	d.createObjects("a")
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE objects SET version = 1"); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			ended <- d.Transact(short, func(other *sqldb.Tx) error {
				_, err := other.Exec(short, "UPDATE objects SET version = 2")
				return err
			})
		}()
		if err := patience.Receive(t, "the end of the wait", ended); err == nil {
			t.Error("it did not wait")
		}
		return nil
	})
	if n := d.exec("UPDATE objects SET version = 3 WHERE version = 1"); n != 1 {
		t.Errorf("%d rows have the version that was committed", n)
	}
}

// bounded: one unit of work has a deadline, and does not outlive the work around it.
func bounded(t *testing.T, d *database) {
	ctx, done := d.Bounded(t.Context())
	at, limited := ctx.Deadline()
	if left := time.Until(at); !limited || left <= 0 || left > sqldb.Timeout {
		t.Errorf("%v are left", left)
	}
	done()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("when the work is done: %v", ctx.Err())
	}
	outer, cancel := context.WithCancel(t.Context())
	inner, done := d.Bounded(outer)
	defer done()
	cancel()
	if inner.Err() == nil {
		t.Error("it outlives the work around it")
	}
}
