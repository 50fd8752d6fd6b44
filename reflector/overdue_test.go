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

// tardy is a source that takes its time for the answer, and for each part of it.
type tardy struct {
	name   string
	answer time.Duration
	parts  []string // of a watch, until it is quiet
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
		pause = time.Hour // a watch in which nothing happens
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

// TestOverdue: an answer, or a part of a list, that takes long is shown while it is
// waited for, and not after it has come. A watch in which nothing happens is none.
func TestOverdue(t *testing.T) {
	for _, c := range []struct {
		name string
		src  *tardy
		late []time.Duration // when the fault is to be seen
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
			"headers, and no list", &tardy{parts: []string{addX, done}, part: 10 * time.Second},
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
					t.Errorf("the last error is %v", h.LastErr)
				}
			})
		})
	}
}

func checkOverdue(t *testing.T, at time.Duration, h Health, late, well []time.Duration, name string) {
	t.Helper()
	for _, when := range late {
		if when == at && (h.Fault != Unreachable || h.Err == nil || !strings.Contains(h.Err.Error(), name+": no answer for 8s; still waiting") && name != "") {
			t.Errorf("after %v: %v, %v", at, h.Fault, h.Err)
		}
	}
	for _, when := range well {
		if when == at && h.Err != nil {
			t.Errorf("after %v: %v", at, h.Err)
		}
	}
}
