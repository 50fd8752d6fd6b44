package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// trickling sends the bytes of a streaming list one by one. The first event never
// completes. It records when the reflector asks for a list in pages.
type trickling struct {
	tardy
	listed chan time.Time
}

func (s *trickling) List(ctx context.Context, _ metav1.ListOptions) (wire.Stream, error) {
	select {
	case s.listed <- time.Now():
	default:
	}
	<-ctx.Done()
	return wire.Stream{}, ctx.Err()
}

// TestStreamTimeoutWhileBytesTrickle: StreamTimeout bounds a streaming list also while
// the bytes of one event arrive one by one.
func TestStreamTimeoutWhileBytesTrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parts := make([]string, 1000)
		for i := range parts {
			parts[i] = " "
		}
		src := &trickling{tardy: tardy{parts: parts, part: 500 * time.Millisecond}, listed: make(chan time.Time, 1)}
		r, err := New(src, discard{}, Config{StreamTimeout: 5 * time.Second, EndBookmarkTimeout: 15 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		began := time.Now()
		go func() { _ = r.Run(ctx) }()
		if got := (<-src.listed).Sub(began); got > 6*time.Second {
			t.Errorf("got the list in pages after %v, want it when StreamTimeout (5s) has passed", got)
		}
		cancel()
		synctest.Wait()
	})
}
