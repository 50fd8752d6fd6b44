package informer_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// TestLosslessLoopWaitsForItself: a loop of store.Lossless that waits for its own informer is
// logged once, with its name, its object and the time, and shown by Health. So is its end.
func TestLosslessLoopWaitsForItself(t *testing.T) {
	inWorld(t, func(w *world) {
		book := captureLog(t)
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Backlog: 1}))
		waiting, giveUp := context.WithCancel(w.ctx)
		taken := 0
		w.work.Go(func() {
			for ev := range inf.Changes(w.ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
				if taken++; ev.Key().Name == "first" {
					_ = inf.WaitFor(waiting, ev.Version()+10) // ends with an error, by giveUp
				}
			}
		})
		w.run(inf)
		<-inf.Synced()
		w.create(pod("first"))
		w.advance(time.Second)
		for i := range 10 {
			w.create(pod(fmt.Sprint("p", i)))
		}
		w.advance(time.Hour)
		checkSingleLine(t, book.take(), slog.LevelWarn, 20*time.Second, "waits for a consumer", "consumer=sequence 1", "object=default/first", "age=8s", "waits for this informer meanwhile")
		h, _ := inf.Health()
		if len(h.Blocking) != 1 || h.Blocking[0].Consumer != "sequence 1" || h.Blocking[0].Object != (wire.Key{Namespace: "default", Name: "first"}) || time.Since(h.Blocking[0].Since).Round(time.Minute) != time.Hour {
			t.Errorf("got the consumers %+v, want the sequence at default/first, for an hour", h.Blocking)
		}
		giveUp()
		w.advance(time.Minute)
		checkSingleLine(t, book.take(), slog.LevelInfo, 2*time.Hour, "no longer waits for the consumer", "consumer=sequence 1")
		if h, _ := inf.Health(); len(h.Blocking) > 0 || taken != 11 {
			t.Errorf("got the consumers %+v and %d events, want none and 11", h.Blocking, taken)
		}
	})
}

// TestLosslessHandlerBlocks: a slow handler of store.Lossless is shown by Health with its
// name; a handler that waits for less than the limit is not logged.
func TestLosslessHandlerBlocks(t *testing.T) {
	inWorld(t, func(w *world) {
		book := captureLog(t)
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Backlog: 1}))
		must(inf.Handle(informer.Handler[corev1.Pod]{OnAdd: func(context.Context, *corev1.Pod, bool) error {
			<-time.After(5 * time.Second) // an input: fake time
			return nil
		}}, informer.HandlerConfig{Name: "mine", Subscription: informer.SubscriptionConfig{Mode: store.Lossless}}))
		w.run(inf)
		<-inf.Synced()
		for _, name := range []string{"a", "b", "c", "d"} {
			w.create(pod(name))
			w.advance(time.Second)
		}
		if h, _ := inf.Health(); len(h.Blocking) != 1 || h.Blocking[0].Consumer != "mine" || h.Blocking[0].Object.Name != "a" {
			t.Errorf("got the consumers %+v, want mine at a", h.Blocking)
		}
		w.advance(time.Minute)
		if h, _ := inf.Health(); len(h.Blocking) > 0 {
			t.Errorf("got the consumers %+v, want none", h.Blocking)
		}
		if lines := book.take(); len(lines) > 0 {
			t.Errorf("got lines %v, want none", lines)
		}
	})
}
