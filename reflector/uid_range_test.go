package reflector

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// foreign is a source whose server does not select: its list has one object of the range
// and one of another, and its watch sends an event of the other range every 30 seconds.
type foreign struct {
	uids            wire.UIDRange
	inside, outside string // UIDs
	lists           int
}

func (s *foreign) stream(body interface {
	Read([]byte) (int, error)
	Close() error
},
) wire.Stream {
	return wire.Stream{Body: body, Encoding: wire.JSON, UIDs: s.uids}
}

func (s *foreign) List(context.Context, metav1.ListOptions) (wire.Stream, error) {
	s.lists++
	return s.stream(whole{strings.NewReader(fmt.Sprintf(
		`{"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"in","uid":%q,"resourceVersion":"3"}},{"metadata":{"name":"out","uid":%q,"resourceVersion":"4"}}]}`,
		s.inside, s.outside))}), nil
}

func (s *foreign) Watch(ctx context.Context, _ metav1.ListOptions) (wire.Stream, error) {
	return s.stream(&others{ctx: ctx, uid: s.outside}), nil
}

type whole struct{ *strings.Reader }

func (whole) Close() error { return nil }

// others is a watch whose events are all of other ranges.
type others struct {
	ctx context.Context
	uid string
	n   int
}

func (b *others) Read(p []byte) (int, error) {
	select {
	case <-time.After(30 * time.Second):
		b.n++
		return copy(p, fmt.Sprintf(`{"type":"MODIFIED","object":{"metadata":{"name":"out","uid":%q,"resourceVersion":"%d"}}}`, b.uid, 5+b.n)), nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *others) Close() error { return nil }

// TestOtherRangesAreNotSilence checks that a watch whose events are all outside of the range
// stays open, and that the health counts what was skipped.
func TestOtherRangesAreNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &foreign{uids: wire.UIDRange{Index: 0, Count: 2}}
		for i := 0; src.inside == "" || src.outside == ""; i++ {
			if uid := fmt.Sprint("uid-", i); src.uids.Contains(uid) {
				src.inside = uid
			} else {
				src.outside = uid
			}
		}
		out := &sink{}
		r, err := New(src, out, Config{Streaming: PagesOnly})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		if got, want := strings.Join(out.got, ", "), "Begin, Upsert in 3, End  5"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		h, _ := r.Health()
		if h.LastErr != nil || h.Restarts != 0 || src.lists != 1 {
			t.Errorf("got %v, %d restarts, %d lists: the watch counted as silent", h.LastErr, h.Restarts, src.lists)
		}
		if h.Skipped == 0 {
			t.Error("got no skipped objects")
		}
	})
}
