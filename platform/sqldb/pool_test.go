package sqldb

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestLimit checks that the pool drops all earlier connections after work that exceeded its
// time limit.
func TestLimit(t *testing.T) {
	d, err := Open(t.Context(), dbtest.Empty(t, "sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for timeout, want := range map[time.Duration]int{time.Hour: 1, time.Nanosecond: 0} {
		if err := d.pool.db.PingContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		bound, done := d.pool.limit(t.Context(), timeout)
		if timeout < time.Second {
			<-bound.Done()
		}
		done()
		if n := d.pool.db.Stats().Idle; n != want {
			t.Errorf("after %v: got %d idle connections, want %d", timeout, n, want)
		}
		if bound.Err() == nil {
			t.Error("done does not cancel the context")
		}
	}
}
