package reflector

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// tardy is a source that delays the answer and each part of it.
type tardy struct {
	name   string
	answer time.Duration
	parts  []string // parts of a watch; then it is silent
	part   time.Duration
}

func (s *tardy) String() string { return s.name }

func (s *tardy) List(ctx context.Context, _ metav1.ListOptions) (wire.Stream, error) {
	return s.Watch(ctx, metav1.ListOptions{})
}

func (s *tardy) Watch(ctx context.Context, _ metav1.ListOptions) (wire.Stream, error) {
	if !waits(ctx, s.answer) {
		return wire.Stream{}, ctx.Err()
	}
	return wire.Stream{Body: &tardyBody{tardy: s, ctx: ctx, parts: s.parts}, Encoding: wire.JSON}, nil
}

func waits(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

type tardyBody struct {
	*tardy
	ctx   context.Context
	parts []string
}

func (b *tardyBody) Read(p []byte) (int, error) {
	pause := b.part
	if len(b.parts) == 0 {
		pause = time.Hour // a watch without events
	}
	if !waits(b.ctx, pause) {
		return 0, b.ctx.Err()
	}
	if len(b.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.parts[0])
	b.parts = b.parts[1:]
	return n, nil
}

func (b *tardyBody) Close() error { return nil }

// TestOverdue checks that a slow answer, or a slow part of a list, is shown as a fault
// while it is awaited, and not after it has arrived. A watch without events is not a
// fault.
func TestOverdue(t *testing.T) {
	for _, c := range []struct {
		name string
		src  *tardy
		late []time.Duration // times at which the fault is shown
		well []time.Duration
	}{
		{"a quick answer", &tardy{parts: []string{addX + done}}, nil, []time.Duration{0, 10 * time.Second, 2 * time.Minute}},
		{
			"a slow answer", &tardy{answer: 20 * time.Second, parts: []string{addX + done}},
			[]time.Duration{9 * time.Second, 19 * time.Second},
			[]time.Duration{7 * time.Second, 21 * time.Second, 2 * time.Minute},
		},
		{
			"no answer", &tardy{name: "pods at host", answer: time.Hour},
			[]time.Duration{9 * time.Second, 2 * time.Minute},
			[]time.Duration{7 * time.Second},
		},
		{
			"headers without a list", &tardy{parts: []string{addX, done}, part: 10 * time.Second},
			[]time.Duration{9 * time.Second, 19 * time.Second},
			[]time.Duration{7 * time.Second, 11 * time.Second, 21 * time.Second, 2 * time.Minute},
		},
		{
			"a trickle", &tardy{parts: []string{addX[:10], addX[10:20], addX[20:], done}, part: 4 * time.Second},
			[]time.Duration{9 * time.Second, 11 * time.Second},
			[]time.Duration{7 * time.Second, 13 * time.Second, 17 * time.Second, 2 * time.Minute},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := New(c.src, &sink{}, Config{})
				if err != nil {
					t.Fatal(err)
				}
				var work sync.WaitGroup
				defer work.Wait()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				work.Go(func() { _ = r.Run(ctx) })
				began := time.Now()
				for s := range 150 {
					<-time.After(time.Until(began.Add(time.Duration(s)*time.Second + time.Millisecond)))
					synctest.Wait()
					h, _ := r.Health()
					checkOverdue(t, time.Duration(s)*time.Second, h, c.late, c.well, c.src.name)
				}
				if h, _ := r.Health(); len(c.late) > 0 && (h.LastErr == nil || !strings.Contains(h.LastErr.Error(), "no answer")) {
					t.Errorf("got last error %v", h.LastErr)
				}
			})
		})
	}
}

func checkOverdue(t *testing.T, at time.Duration, h Health, late, well []time.Duration, name string) {
	t.Helper()
	for _, when := range late {
		if when == at && (h.Fault != Unreachable || h.Err == nil || !strings.Contains(h.Err.Error(), name+": no answer for 8s; still waiting") && name != "") {
			t.Errorf("after %v: got fault %v with error %v", at, h.Fault, h.Err)
		}
	}
	for _, when := range well {
		if when == at && h.Err != nil {
			t.Errorf("after %v: got error %v", at, h.Err)
		}
	}
}
