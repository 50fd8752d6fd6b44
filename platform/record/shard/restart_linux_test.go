package shard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// TestRestart: a recorder that crashed takes its own place at once when it starts again on the same
// machine, and the writes of the earlier process are refused.
func TestRestart(t *testing.T) {
	each(t, func(w *world) {
		holds := func(m *mortal) {
			patience.Until(w, "it holds the shard", func() string {
				if m.offer.Held() {
					return ""
				}
				return fmt.Sprint(m.offer.Elsewhere())
			})
		}
		a := w.mortal("a")
		holds(a)
		earlier, err := model.ShardMembers(w.Context(), w.d)
		if err != nil || len(earlier) != 1 || earlier[0].Namelock == "" {
			w.Fatalf("got the members %+v, %v", earlier, err)
		}
		a.crash()
		if !w.fenced(1, earlier[0].ID) {
			w.Fatal("the recorder left the group: it did not crash")
		}
		began := time.Now()
		holds(w.mortal("a"))
		if d := time.Since(began); d > lease/5 {
			w.Errorf("the restarted recorder waited for %v", d)
		}
		if w.fenced(1, earlier[0].ID) {
			w.Error("the earlier process can still write")
		}
	})
}
