package livestream

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// timed records the time and the positions of each changes event.
type timed struct {
	begun time.Time
	mu    sync.Mutex
	got   []string
}

// Write implements writer.
func (w *timed) Write(frames ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range frames {
		_, data, found := strings.Cut(string(f), "data: ")
		var some api.Changes
		if !found || json.Unmarshal([]byte(data), &some) != nil || len(some.Changes) == 0 {
			continue
		}
		var text strings.Builder
		text.WriteString(fmt.Sprintf("%d ms:", time.Since(w.begun).Milliseconds()))
		for _, c := range some.Changes {
			text.WriteString(fmt.Sprint(" ", c.Position))
		}
		w.got = append(w.got, text.String())
	}
	return nil
}

// TestPace: the first change is sent at once. Later changes are collected, for longer if there are
// many browsers.
func TestPace(t *testing.T) {
	for browsers, want := range map[int64][]string{
		1:    {"1000 ms: 1", "1020 ms: 2 3", "1040 ms: 4", "1300 ms: 5", "1320 ms: 6"},
		500:  {"1000 ms: 1", "1050 ms: 2 3 4", "1300 ms: 5", "1350 ms: 6"},
		5000: {"1000 ms: 1", "1100 ms: 2 3 4", "1300 ms: 5", "1400 ms: 6"},
	} {
		t.Run(fmt.Sprint(browsers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := New(Config{Position: func() int64 { return 0 }})
				h.browsers.Store(browsers)
				h.Start(0, nil)
				w := &timed{begun: time.Now()}
				sight := func(context.Context) (Sight, error) { return fakeSight("*"), nil }
				b := &browser{hub: h, ask: sight, w: w, sight: fakeSight("*"), seen: time.Now(), check: time.Now().Add(sightEvery)}
				b.place(0, true)
				ctx, cancel := context.WithCancel(t.Context())
				var work sync.WaitGroup
				work.Go(func() { h.Run(ctx) })
				work.Go(func() { _ = b.run(ctx) }) // it ends with ctx
				begun := time.Now()
				for i, at := range []time.Duration{1000, 1005, 1019, 1025, 1300, 1301} {
					<-time.After(time.Until(begun.Add(at * time.Millisecond)))
					h.Append([]Change{change(int64(i+1), "a")})
				}
				<-time.After(time.Minute)
				cancel()
				work.Wait()
				if !slices.Equal(w.got, want) {
					t.Errorf("got %q, want %q", w.got, want)
				}
			})
		})
	}
}
