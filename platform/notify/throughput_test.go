package notify_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestBacklog: workers send a backlog while very long lanes wait for their fronts. A quiet
// machine sends 1,600 to 5,000 messages a second; the log shows the rate.
func TestBacklog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		const n = 1000
		create(t, db, "blocked", 2, 5000) // without a worker, so the lanes stay
		create(t, db, "fast", 200, n)
		r := &receiver{}
		began := time.Now()
		_, stop := start(t, quick(db, "one"), map[string]channel.Channel{"fast": r})
		r.wait(t, n)
		t.Logf("%.0f messages a second", n/time.Since(began).Seconds())
		stop()
		inOrder(t, r.arrived())
	})
}
