package web

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestShare: a person holds at most their share, and while they wait for it, they are not in the
// line of the others. A place that is given back goes to whoever waits.
func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(2, 1)
		take := func(person string) func() {
			done, err := s.Take(t.Context(), person)
			if err != nil {
				t.Fatalf("%s: %v", person, err)
			}
			return done
		}
		first := take("anna")
		for range 50 {
			go func() {
				if done, err := s.Take(t.Context(), "anna"); err == nil {
					defer done()
					<-time.After(time.Second)
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		second := take("ben")
		if time.Since(began) > 0 {
			t.Errorf("another person waited for %v behind the requests of one", time.Since(began))
		}
		var p *api.Problem
		if _, err := s.Take(t.Context(), "ben"); !errors.As(err, &p) || p.Type != api.ProblemTooMany || time.Since(began) != slotTime {
			t.Errorf("a second place of a person: got error %v after %v, want a refusal after %v", err, time.Since(began), slotTime)
		}
		go func() {
			<-time.After(time.Second)
			first()
		}()
		began = time.Now()
		third := take("carl")
		if time.Since(began) != time.Second {
			t.Errorf("a third person waited for %v, want until a place was given back", time.Since(began))
		}
		second()
		third()
		<-time.After(time.Minute)
		if len(s.all) > 0 || len(s.each.all) > 0 {
			t.Errorf("at the end: %d places are held, and %d people are remembered", len(s.all), len(s.each.all))
		}
	})
}
