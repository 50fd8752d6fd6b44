package readapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestMemo: requests for one answer share one computation, for a while. Errors are not cached,
// and a caller that cancels does not cancel others.
func TestMemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemo[int](time.Second, 3)
		made := 0
		slow := func(ctx context.Context) (int, error) {
			made++
			<-time.After(100 * time.Millisecond)
			return made, ctx.Err()
		}
		get := func(ctx context.Context, key string) (int, error) { return m.get(ctx, key, time.Now(), slow) }
		var work sync.WaitGroup
		for range 20 {
			work.Go(func() {
				if n, err := get(t.Context(), "a"); n != 1 || err != nil {
					t.Errorf("got %d and error %v, want 1", n, err)
				}
			})
		}
		work.Wait()
		<-time.After(time.Second)
		if n, err := get(t.Context(), "a"); n != 2 || err != nil {
			t.Errorf("after its time: %d, %v", n, err)
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		work.Go(func() { _, _ = get(ctx, "b") })
		synctest.Wait()
		work.Go(func() {
			if n, err := get(t.Context(), "b"); n != 4 || err != nil {
				t.Errorf("beside a caller who left: %d, %v", n, err)
			}
		})
		synctest.Wait()
		cancel(gone)
		work.Wait()
		for i := range 100 {
			if _, err := get(t.Context(), fmt.Sprint("key ", i)); err != nil {
				t.Error(err)
			}
			if len(m.answers) > 3 {
				t.Fatalf("%d answers are kept", len(m.answers))
			}
		}
	})
}

// FuzzCursors: only cursors of a page are accepted.
func FuzzCursors(f *testing.F) {
	f.Add(offsetCursor(7))
	f.Add(logCursor{at: 5, n: 2, back: true}.String())
	f.Add("%%")
	f.Add("b")
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := offsetOf(text); err == nil && (n < 0 || text != "" && offsetOf2(n) != n) {
			t.Errorf("cursor %q: got %d, want an error or a number that gives this cursor", text, n)
		}
		if c, err := parseLogCursor(text); err == nil && (c.n < 0 || c.String() != text) {
			t.Errorf("cursor %q: got %+v, want an error or a position that gives this cursor", text, c)
		}
		page, next := part([]int{1, 2, 3}, max(len(text)-2, 0), 2)
		if len(page) > 2 || next != "" && len(page) == 0 {
			t.Errorf("got page %v and cursor %q, want at most 2 items, and no cursor after none", page, next)
		}
	})
}

// offsetOf2 returns an offset after a round trip through a cursor.
func offsetOf2(n int) int {
	back, err := offsetOf(offsetCursor(n))
	if err != nil {
		return -1
	}
	return back
}
