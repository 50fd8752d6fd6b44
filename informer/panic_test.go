package informer_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// panickingFunctions are functions for an informer. One of them panics for the pod "bad".
type panickingFunctions struct {
	filter func(store.Entry) bool
	value  func(*corev1.Pod) string
	handle func(*corev1.Pod) error
}

// newPanicking returns an informer and its functions. place names the function that panics.
func newPanicking(w *world, place string, policy informer.PanicPolicy, logger *slog.Logger) (*informer.Informer[corev1.Pod], panickingFunctions) {
	bad := func(here, name string) {
		if here == place && name == "bad" {
			panic("on purpose")
		}
	}
	cfg := informer.Config{Panics: policy, Logger: logger}
	if place == "transform" {
		cfg.Transform = func(rec wire.Record) (wire.Record, error) {
			bad("transform", rec.Key.Name)
			return rec, nil
		}
	}
	switch place {
	case "decode", "keep object":
		cfg.Decode = func(rec wire.Record) (any, error) {
			bad("decode", rec.Key.Name)
			return wire.Codec[corev1.Pod]{}.Decode(rec)
		}
		first := true // the pod bad; KeepObject gets no name
		cfg.KeepObject = func(store.Candidate) bool {
			if first {
				first = false
				bad("keep object", "bad")
			}
			return true
		}
	}
	return must(informer.Watch[corev1.Pod](w.cluster, cfg)), panickingFunctions{
		filter: func(e store.Entry) bool { bad("filter", e.Key().Name); return true },
		value:  func(p *corev1.Pod) string { bad("index", p.Name); return p.Spec.NodeName },
		handle: func(p *corev1.Pod) error { bad("handler", p.Name); return nil },
	}
}

// register registers the functions with an informer. The handler adds its calls to events.
func (p panickingFunctions) register(t *testing.T, inf *informer.Informer[corev1.Pod], policy informer.PanicPolicy, events *eventLog) *informer.Registration {
	informer.IndexBy(inf, p.value)
	r, err := inf.Handle(informer.Handler[corev1.Pod]{OnAdd: func(_ context.Context, pod *corev1.Pod, _ bool) error {
		events.add("%s", pod.Name)
		return p.handle(pod)
	}}, informer.HandlerConfig{Panics: policy, Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{informer.Where(p.filter)}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPanicPolicies: SkipOnPanic skips the object and logs the panic on one line. StopOnPanic
// ends the informer or the handler with the panic.
func TestPanicPolicies(t *testing.T) {
	for _, place := range []string{"filter", "index", "transform", "decode", "keep object", "handler"} {
		ofInformer := place != "filter" && place != "handler"
		t.Run(place+" skips", func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.create(pod("bad"), pod("good"))
				var log bytes.Buffer
				inf, functions := newPanicking(w, place, informer.SkipOnPanic, slog.New(slog.NewTextHandler(&log, nil)))
				var events eventLog
				functions.register(w.t, inf, informer.SkipOnPanic, &events)
				w.run(inf)
				w.advance(time.Minute)
				if got := events.take(); len(got) != 2 && place != "transform" || got[len(got)-1] != "good" {
					w.t.Errorf("the handler got %v, want good, and bad unless the transform panics", got)
				}
				text := log.String()
				if strings.Count(text, "on purpose, in informer_test.newPanicking.func") != 1 || strings.Contains(text, `goroutine`) {
					w.t.Errorf("got log %q, want the panic with its function once, on one line", text)
				}
			})
		})
		t.Run(place+" stops", func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.create(pod("bad"), pod("good"))
				inf, functions := newPanicking(w, place, informer.StopOnPanic, slog.New(slog.DiscardHandler))
				var events eventLog
				r := functions.register(w.t, inf, informer.StopOnPanic, &events)
				ended := make(chan error, 1)
				w.work.Go(func() { ended <- inf.Run(w.ctx) })
				w.advance(time.Minute)
				var p *informer.PanicError
				if ofInformer {
					if err := receiveNow(ended); !errors.As(err, &p) || p.Key.Name != "bad" {
						w.t.Errorf("Run returned %v, want a PanicError of the pod bad", err)
					}
				} else if !isClosed(r.Done()) || !errors.As(r.Err(), &p) || len(ended) > 0 {
					w.t.Errorf("got handler ended %v, error %v, informer ended %v, want only the handler to end, with a PanicError", isClosed(r.Done()), r.Err(), len(ended) > 0)
				}
			})
		})
	}
}

// receiveNow returns the next error from a channel, or nil without waiting.
func receiveNow(c <-chan error) error {
	select {
	case err := <-c:
		return err
	default:
		return nil
	}
}
