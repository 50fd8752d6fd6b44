package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// TestThrottle: a person may send a burst, then the rate, regardless of others.
func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := web.NewThrottle(2, 5).Handler(func(r *http.Request) string { return r.URL.Path }, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		send := func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, get(path))
			return w
		}
		for range 5 {
			if w := send("/a"); w.Code != http.StatusOK {
				t.Fatalf("got status %v, want %v", w.Code, http.StatusOK)
			}
		}
		w := send("/a")
		if p := problem(t, w); p.Status != http.StatusTooManyRequests || p.RetryAfter != 1 || w.Header().Get("Retry-After") != "1" {
			t.Errorf("got %+v, want 429, and to wait 1 s", p)
		}
		if w := send("/b"); w.Code != http.StatusOK {
			t.Errorf("another person waits: %d", w.Code)
		}
		<-time.After(500 * time.Millisecond)
		if w := send("/a"); w.Code != http.StatusOK {
			t.Errorf("%d after half a second", w.Code)
		}
	})
}

// TestThrottleModel: at any times of requests, no key exceeds its burst and its rate, and a key
// that waited for the returned time may send.
func TestThrottleModel(t *testing.T) {
	type step struct {
		key   string
		heed  bool
		after time.Duration
	}
	steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
		return step{rapid.SampledFrom([]string{"a", "b"}).Draw(r, "key"), rapid.Bool().Draw(r, "heed"), time.Duration(rapid.IntRange(0, 400).Draw(r, "ms")) * time.Millisecond}
	}), 1, 100)
	testinput.Check(t, func(r *rapid.T) {
		rate, burst := float64(rapid.IntRange(1, 20).Draw(r, "rate")), float64(rapid.IntRange(1, 20).Draw(r, "burst"))
		all := steps.Draw(r, "steps") // before the bubble: rapid ends the goroutine that draws too much
		var wrong string
		synctest.Test(t, func(*testing.T) {
			th, began, sent := web.NewThrottle(rate, burst), time.Now(), map[string]int{}
			for _, s := range all {
				wait := th.Take(s.key)
				if wait > 0 && s.heed {
					<-time.After(wait + time.Microsecond)
					if wait = th.Take(s.key); wait > 0 {
						wrong = fmt.Sprintf("%v more to wait", wait)
						return
					}
				}
				if wait == 0 {
					sent[s.key]++
				}
				if most := burst + time.Since(began).Seconds()*rate; float64(sent[s.key]) > most+1e-6 {
					wrong = fmt.Sprintf("%d requests, and at most %.1f are allowed", sent[s.key], most)
					return
				}
				<-time.After(s.after)
			}
		})
		if wrong != "" {
			r.Fatal(wrong)
		}
	})
}

// TestThrottleAlmost: a key that lacks less of a request than a nanosecond gives has to wait.
func TestThrottleAlmost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := web.NewThrottle(2, 2)
		for _, after := range []time.Duration{0, 119, 1000, 289, 208, 215, 288} { // it leaves 1 - 2e-16
			<-time.After(after * time.Millisecond)
			th.Take("a")
		}
		first, second := th.Take("a"), th.Take("a")
		if first == 0 && second == 0 {
			t.Error("requests at one instant are not bounded")
		}
	})
}

// TestThrottleIsBounded: many addresses do not fill the memory.
func TestThrottleIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := web.NewThrottle(1, 10)
		refused := 0
		for i := range 25_000 {
			if th.Take(fmt.Sprint(i)) > 0 {
				refused++
			}
		}
		if refused != 5_000-10 {
			t.Errorf("%d keys beyond the table were refused", refused)
		}
		<-time.After(time.Minute)
		if th.Take("new") > 0 {
			t.Error("a key is refused, although all others are idle")
		}
	})
}
