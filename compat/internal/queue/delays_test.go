package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"

	"github.com/vedette-io/vedette/compat/internal/queue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stepped is a clock that is stepped while its second timer is being made, which
// nothing replaces.
type stepped struct {
	*testclock.FakeClock
	timers int
}

func (s *stepped) NewTimer(d time.Duration) clock.Timer {
	if s.timers++; s.timers == 2 {
		s.Step(6 * time.Second)
	}
	return s.FakeClock.NewTimer(d)
}

// TestClockStepsMeanwhile: a delay is not longer because the clock was stepped when
// its timer was made.
func TestClockStepsMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &stepped{testclock.NewFakeClock(time.Now()), 0}
		added := make(chan string, 1)
		d := queue.NewDelays(c, func(item string) { added <- item })
		d.Put("a", 10*time.Second)
		synctest.Wait()
		c.Step(4 * time.Second)
		synctest.Wait()
		if len(added) != 1 || d.Len() != 0 {
			t.Fatalf("added %d, %d wait; want 1 and 0", len(added), d.Len())
		}
		d.Stop()
	})
}

// TestStopJoins: Stop waits for an item that is being added, and drops the rest.
func TestStopJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, end, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
		d := queue.NewDelays(nil, func(string) {
			close(begun)
			<-end
		})
		d.Put("a", time.Second)
		d.Put("b", time.Minute)
		<-begun
		go func() {
			d.Stop()
			close(stopped)
		}()
		synctest.Wait()
		select {
		case <-stopped:
			t.Fatal("Stop did not wait for the item that was being added")
		default:
		}
		close(end)
		<-stopped
		d.Put("c", time.Second)
		<-time.After(time.Hour)
		if d.Len() != 0 {
			t.Fatalf("got %v, want 0", d.Len())
		}
	})
}
