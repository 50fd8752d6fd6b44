package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// recovering is a server with which requests of other reflectors recover all the time.
type recovering struct{ *hostile }

// Recovered implements Recoverer.
func (recovering) Recovered() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// TestRecoveriesDoNotKeepUpLists: while watches are answered 404 and lists work, the lists of
// other reflectors count as recoveries. They do not make this one list again and again.
func TestRecoveriesDoNotKeepUpLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hostile{answer: func(r asked) reply {
			if r.list {
				return reply{body: pageText(5, "", "x")}
			}
			return reply{err: scriptError("404", nil)}
		}}
		r, err := New(recovering{h}, &sink{}, Config{Streaming: PagesOnly})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := r.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if n := h.asked.Load(); n > 300 {
			t.Errorf("got %d requests in an hour, want at most a list and a watch in 30 seconds", n)
		}
	})
}
