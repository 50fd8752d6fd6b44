package hostile_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/conformance/hostile"
	"github.com/vedette-io/vedette/internal/testinput"
)

const (
	// usualLasting is the number of lasting failures without VEDETTE_CASES.
	usualLasting = 60
	// lastingBound is the maximum time until an informer shows a change while some way works, as
	// docs/protocol.md promises.
	lastingBound = 10 * time.Minute
	// lastingRequests limits the requests of a scope in a minute during a lasting failure, on
	// average: up to four for a watch and the list after it in each round (docs/protocol.md), two
	// for the identity of the cluster, and one for redirects. Further pages do not count.
	lastingRequests = 7.0
)

// broken are the means that fail. Each leaves a list or a stream.
var broken = []hostile.Means{
	hostile.Watches, hostile.Streams, hostile.Lists, hostile.Identity, hostile.Watches | hostile.Streams, hostile.Watches | hostile.Lists,
	hostile.Watches | hostile.Identity, hostile.Streams | hostile.Identity, hostile.Lists | hostile.Identity,
	hostile.Watches | hostile.Streams | hostile.Identity, hostile.Watches | hostile.Lists | hostile.Identity,
}

// TestLastingFailures: some means fail in one way for good, from the start or later. As long as
// one way to list works, the informer shows each change within the bound, and does not flood
// the server.
func TestLastingFailures(t *testing.T) {
	for n := range testinput.Cases(t, usualLasting) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { newScene(t, n, "").last() })
		})
	}
}

// last plays one lasting failure.
func (s *scene) last() {
	defer s.close()
	at := s.place()
	of := one(s.random, broken...)
	later := s.random.IntN(2) == 0
	s.streams = of&hostile.Lists != 0
	at.server.Break(0, 0) // the server is honest
	name, choice := "", s.random.IntN(1000)
	if !later {
		name = at.server.Break(of, choice)
	}
	f := s.informer(at, nil)
	ctx, cancel := context.WithCancel(s.ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	f.prepare(s.number)
	running.Go(func() {
		if err := f.run(ctx); err != nil {
			s.errorf("Run: %v", err)
		}
	})
	if later {
		<-time.After(90 * time.Second)
		name = at.server.Break(of, choice)
	}
	s.kind = fmt.Sprintf("%s of %v, later %v, %s", name, of, later, f.name())
	requests := func() int { c := at.server.Counts(); return c.Requests - c.News } // further pages do not count
	before, began := requests(), time.Now()
	for round := range 3 {
		for range 1 + s.random.IntN(3) {
			s.write()
		}
		since, wrong := time.Now(), ""
		for wrong = f.differs(); wrong != "" && time.Since(since) < lastingBound; wrong = f.differs() {
			<-time.After(5 * time.Second)
			synctest.Wait()
		}
		if wrong != "" {
			s.errorf("change %d is not shown within %v: %s", round, lastingBound, wrong)
			return
		}
		<-time.After(time.Duration(s.random.Int64N(int64(20 * time.Minute))))
	}
	minutes := time.Since(began).Minutes()
	if got := float64(requests()-before) / (minutes + 10) / float64(max(1, f.scopes())); got > lastingRequests {
		s.errorf("%.1f requests in a minute, want at most %.0f", got, lastingRequests)
	}
}
