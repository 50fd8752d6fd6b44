package reflector

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// TestRetryAfter checks that the wait that a server requests is bounded by MaxBackoff,
// and shown.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer string // a fault in the syntax of the scripts
		retry  string
		max    time.Duration
		least  time.Duration
		most   time.Duration
		says   string
	}{
		{"within the bound", "429", "7", 0, 7 * time.Second, 10500 * time.Millisecond, ""},
		{"an hour", "429", "3600", 0, 30 * time.Second, 45 * time.Second, "the server requested a wait of 1h0m0s; retrying in "},
		{"the maximum", "503", "2147483647", 0, 30 * time.Second, 45 * time.Second, "requested a wait of 596523h14m7s; retrying in "},
		{"the maximum without a bound", "503", "2147483647", math.MaxInt64, math.MaxInt32 * time.Second, math.MaxInt64, ""},
		{"410", "410", "3600", 0, 30 * time.Second, 45 * time.Second, "requested a wait of 1h0m0s"},
		{"403", "403", "3600", 0, 30 * time.Second, 45 * time.Second, "requested a wait of 1h0m0s"},
		{"negative", "503", "-3600", 0, 800 * time.Millisecond, 1200 * time.Millisecond, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg, err := Config{MaxBackoff: c.max}.withDefaults()
			if err != nil {
				t.Fatal(err)
			}
			for _, jitter := range []float64{0, 0.5, 0.999999} {
				m := newMachine(&cfg, func() float64 { return jitter })
				m.resume(5)
				m.start()
				next, _ := m.step(&input{kind: inFailed, err: scriptError(c.answer, map[string]string{"retry": c.retry})})
				if next.kind != doWait || next.wait < c.least || next.wait > c.most {
					t.Errorf("jitter %v: got wait %v, want %v to %v", jitter, next.wait, c.least, c.most)
				}
				if got := m.health.Err.Error(); c.says == "" && strings.Contains(got, "requested") || !strings.Contains(got, c.says) {
					t.Errorf("got Err %q, want it to contain %q", got, c.says)
				}
			}
		})
	}
}

// TestBackoffDoesNotOverflow checks the largest bounds that Config accepts.
func TestBackoffDoesNotOverflow(t *testing.T) {
	cfg, err := Config{MinBackoff: math.MaxInt64 / 3, MaxBackoff: math.MaxInt64}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(&cfg, func() float64 { return 0.999999 })
	for range 100 {
		if d := m.backoff(Unreachable); d < cfg.MinBackoff {
			t.Fatalf("attempt %v: got wait %v", m.attempts, d)
		}
		m.attempts[0]++
	}
}

// flapping is a source that is always denied, while other requests to the server recover
// continuously.
type flapping struct{ asked []time.Time }

func (f *flapping) List(context.Context, metav1.ListOptions) (wire.Stream, error) {
	f.asked = append(f.asked, time.Now())
	return wire.Stream{}, scriptError("403", nil)
}

func (f *flapping) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return f.List(ctx, opts)
}

func (f *flapping) Recovered() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// TestRecoveriesDoNotBypassBackoff checks that repeated recoveries of other requests do
// not make a reflector send requests more often than the backoff allows.
func TestRecoveriesDoNotBypassBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &flapping{}
		r, err := New(src, &sink{}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		if n := len(src.asked); n > 40 {
			t.Errorf("got %d requests in ten minutes", n)
		}
		round := 1 // requests in one round: the forms of a list
		for i, at := range src.asked[1:] {
			if gap := at.Sub(src.asked[i]); gap >= 800*time.Millisecond {
				round = 0
			}
			if round++; round > 3 {
				t.Errorf("request %d: got %d requests without a wait", i+1, round)
			}
		}
	})
}
