package reflector

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestListWithoutVersion checks that the reflector reports a list without a
// resourceVersion, which no watch can continue, and backs off to MaxBackoff.
func TestListWithoutVersion(t *testing.T) {
	const item = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"x","uid":"1"}}`
	for name, body := range map[string]string{
		"empty":   `{"kind":"List","apiVersion":"v1","metadata":{},"items":[]}`,
		"objects": `{"kind":"List","apiVersion":"v1","metadata":{},"items":[` + item + `]}`,
		"blank":   `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":""},"items":[` + item + `]}`,
		"zero":    `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"0"},"items":[` + item + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &hostile{answer: func(asked) reply { return reply{body: body} }}
				r, err := New(server, discard{}, Config{Streaming: PagesOnly})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				go func() { _ = r.Run(ctx) }()
				<-time.After(9 * time.Minute)
				h, _ := r.Health()
				if h.Fault != Stalled || !errors.Is(h.Err, errNoVersion) {
					t.Errorf("got fault %v with error %v, want %v with %v", h.Fault, h.Err, Stalled, errNoVersion)
				}
				if n := server.asked.Load(); n > 30 {
					t.Errorf("got %d requests in 9 minutes, want at most 30", n)
				}
				<-ctx.Done()
				synctest.Wait()
			})
		})
	}
}
