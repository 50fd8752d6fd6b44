package readapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// TestCounting: one person computes few statistics at once, and another person is answered
// meanwhile.
func TestCounting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{counts: web.NewShare(maxCounts, countsOfOne)}
		end := make(chan struct{})
		h := counting(func(_ *reader, _ context.Context, slow *bool) (*int, error) {
			if *slow {
				<-end
			}
			return new(int), nil
		})
		as := func(name string) context.Context { return identity.With(t.Context(), identity.Person{Name: name}) }
		yes, no := true, false
		for range maxCounts {
			go func() { _, _ = h(r, as("anna"), &yes) }()
		}
		synctest.Wait()
		if _, err := h(r, as("ben"), &no); err != nil {
			t.Errorf("statistics of another person: %v", err)
		}
		var p *api.Problem
		if _, err := h(r, as("anna"), &no); !errors.As(err, &p) || p.Type != api.ProblemTooMany {
			t.Errorf("one more of the person: got error %v, want too many", err)
		}
		close(end)
		synctest.Wait()
	})
}
