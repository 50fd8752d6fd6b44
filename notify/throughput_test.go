package notify_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/notify/channel"
)

func TestThroughput(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		n := 10000
		began := time.Now()
		create(t, db, "fast", 2000, n)
		t.Logf("create %v", time.Since(began))
		fast := &receiver{}
		began = time.Now()
		_, stop := start(t, quick(db, "one"), map[string]channel.Channel{"fast": fast})
		until(t, "sent", 120*time.Second, func() bool { return len(fast.arrived()) == n })
		t.Logf("%d in %v: %.0f/s", n, time.Since(began), float64(n)/time.Since(began).Seconds())
		stop()
	})
}

func TestOneLane(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		n := 1000
		create(t, db, "blocked", 1, 20000)
		create(t, db, "fast", 1, n)
		fast := &receiver{}
		began := time.Now()
		_, stop := start(t, quick(db, "one"), map[string]channel.Channel{"fast": fast})
		until(t, "sent", 120*time.Second, func() bool { return len(fast.arrived()) == n })
		t.Logf("%d in %v: %.0f/s", n, time.Since(began), float64(n)/time.Since(began).Seconds())
		stop()
	})
}
