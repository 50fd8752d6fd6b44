package reflector

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestRetryAfter: what a server asks for is bounded by MaxBackoff, and shown.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer string // a fault, as scripts write it
		retry  string
		max    time.Duration
		least  time.Duration
		most   time.Duration
		says   string
	}{
		{"within the bound", "429", "7", 0, 7 * time.Second, 10500 * time.Millisecond, ""},
		{"an hour", "429", "3600", 0, 30 * time.Second, 45 * time.Second, "the server asked for a wait of 1h0m0s; retrying in "},
		{"the most there is", "503", "2147483647", 0, 30 * time.Second, 45 * time.Second, "asked for a wait of 596523h14m7s; retrying in "},
		{"the most there is, and no bound", "503", "2147483647", math.MaxInt64, math.MaxInt32 * time.Second, math.MaxInt64, ""},
		{"410", "410", "3600", 0, 30 * time.Second, 45 * time.Second, "asked for a wait of 1h0m0s"},
		{"403", "403", "3600", 0, 30 * time.Second, 45 * time.Second, "asked for a wait of 1h0m0s"},
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
					t.Errorf("jitter %v: wait %v, want %v to %v", jitter, next.wait, c.least, c.most)
				}
				if got := m.health.Err.Error(); c.says == "" && strings.Contains(got, "asked for") || !strings.Contains(got, c.says) {
					t.Errorf("Err is %q, want %q in it", got, c.says)
				}
			}
		})
	}
}

// TestBackoffDoesNotOverflow: any bound that Config takes is one.
func TestBackoffDoesNotOverflow(t *testing.T) {
	cfg, err := Config{MinBackoff: math.MaxInt64 / 3, MaxBackoff: math.MaxInt64}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(&cfg, func() float64 { return 0.999999 })
	for range 100 {
		if d := m.backoff(Unreachable); d < cfg.MinBackoff {
			t.Fatalf("try %d waits %v", m.tries, d)
		}
		m.tries++
	}
}
