package sqldb_test

import (
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestLockTimeout checks that a statement does not wait without a limit for the lock of a
// transaction that does not end.
func TestLockTimeout(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		if kindOf(url) == "sqlite" { // a lock of a file ends with its process
			return
		}
		d := things(t, url)
		change := func(tx *sqldb.Tx) error {
			_, err := tx.Exec(t.Context(), "UPDATE things SET name = 'x'")
			return err
		}
		err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			if err := tx.Insert(t.Context(), "things", columns, some(0, 1)); err != nil {
				return err
			}
			return change(tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		err = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			if err := change(tx); err != nil {
				return err
			}
			ctx := patience.Context(t, "the end of the wait")
			if err := d.Transact(ctx, change); err == nil || ctx.Err() != nil {
				t.Errorf("got %v, want an error of the server after %v", err, sqldb.LockTimeout)
			} else {
				t.Log(err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if err := d.Transact(t.Context(), change); err != nil {
			t.Errorf("after the end of the other transaction: %v", err)
		}
	})
}
