package informer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

var trainJobType = apitest.Type{Group: "example.com", Version: "v1", Kind: "TrainJob", Namespaced: true}

// TestMissingType: Run of an informer or a factory returns an error if the server does not
// serve the type.
func TestMissingType(t *testing.T) {
	inWorld(t, func(w *world) {
		jobs := must(informer.Watch[unstructured.Unstructured](w.cluster, informer.Config{Resource: "trainjobs.example.com"}))
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		must(informer.For[corev1.Pod](f, informer.Config{}))
		must(informer.For[unstructured.Unstructured](f, informer.Config{Resource: "trainjobs.example.com"}))
		for name, run := range map[string]func(context.Context) error{"informer": jobs.Run, "factory": f.Run} {
			ended := make(chan error, 1)
			w.work.Go(func() { ended <- run(w.ctx) })
			w.advance(time.Minute)
			err := receiveNow(ended)
			if !errors.As(err, new(*kube.UnknownResourceError)) || !errcode.Is(err, errcode.NotFound) || !strings.Contains(err.Error(), "WaitIfMissing") {
				t.Errorf("%s: Run returned %v, want an UnknownResourceError that names WaitIfMissing", name, err)
			}
		}
	})
}

// TestUnwatchableType: Run returns an error for a type that can be listed, and not watched.
func TestUnwatchableType(t *testing.T) {
	inWorld(t, func(w *world) {
		statuses := must(informer.Watch[corev1.ComponentStatus](w.cluster, informer.Config{}))
		ended := make(chan error, 1)
		w.work.Go(func() { ended <- statuses.Run(w.ctx) })
		w.advance(time.Second)
		if err := receiveNow(ended); !errors.As(err, new(*kube.UnwatchableError)) || !strings.Contains(err.Error(), "only the verbs") {
			t.Errorf("Run returned %v, want an UnwatchableError", err)
		}
	})
}

// TestWaitIfMissing: an informer of a type that is installed later waits for it, and so
// does an informer of several clusters. A type that disappears never ends an informer.
func TestWaitIfMissing(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		cfg := informer.Config{Resource: "trainjobs.example.com"}
		across := must(informer.Across[unstructured.Unstructured](cfg))
		if err := across.AddCluster("one", w.cluster); err != nil {
			t.Fatal(err)
		}
		w.run(across)
		cfg.Missing = informer.WaitIfMissing
		w.run(must(informer.Watch[unstructured.Unstructured](w.cluster, cfg)))
		w.advance(time.Minute)
		if err := w.srv.Register(trainJobType); err != nil {
			t.Fatal(err)
		}
		w.advance(5 * time.Minute)
		jobs := must(informer.Watch[unstructured.Unstructured](w.cluster, informer.Config{Resource: "trainjobs.example.com"}))
		w.run(jobs)
		w.advance(time.Second)
		absent := must(w.srv.Inject(apitest.Fault{Times: apitest.Always, Match: apitest.Match{Resource: "trainjobs"}, Action: apitest.Respond(apitest.Failure(404, 0))}))
		cut := must(w.srv.Inject(apitest.Fault{Times: 1, Match: apitest.Match{Verb: apitest.VerbWatch, Resource: "trainjobs"}, Action: apitest.Cut(apitest.CutMidFrame)}))
		w.advance(15 * time.Minute)
		absent.Release()
		cut.Release()
		w.advance(15 * time.Minute)
		for i, inf := range []*informer.Informer[unstructured.Unstructured]{across, jobs} {
			if h, _ := inf.Health(); h.Ready() != nil {
				t.Errorf("informer %d: Ready() = %v, want nil", i, h.Ready())
			}
		}
	})
}

// TestRefusedFieldSelector: Run returns an error if the server does not support the field.
func TestRefusedFieldSelector(t *testing.T) {
	inWorld(t, func(w *world) {
		pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{FieldSelector: "spec.color=red"}))
		ended := make(chan error, 1)
		w.work.Go(func() { ended <- pods.Run(w.ctx) })
		w.advance(time.Minute)
		if err := receiveNow(ended); !errcode.Is(err, errcode.Invalid) || !strings.Contains(err.Error(), "spec.color=red") {
			t.Errorf("Run returned %v, want an invalid field selector", err)
		}
	})
}

// TestWaitInLosslessHandler: the informer waits for the handler, so the handler must not
// wait for the informer.
func TestWaitInLosslessHandler(t *testing.T) {
	for _, mode := range []store.Mode{store.EveryChange, store.Lossless} {
		inWorld(t, func(w *world) {
			inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Backlog: 1}))
			var waits []error
			must(inf.Handle(informer.Handler[corev1.Pod]{OnAdd: func(ctx context.Context, p *corev1.Pod, _ bool) error {
				if p.Name != "first" {
					return nil
				}
				for i := range 10 {
					w.create(pod(string(rune('a' + i))))
				}
				waits = append(waits, inf.WaitFor(ctx, must(wire.ParseVersion(p.ResourceVersion))+10))
				return nil
			}}, informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Mode: mode}}))
			w.run(inf)
			<-inf.Synced()
			w.create(pod("first"))
			w.advance(time.Minute)
			if len(waits) != 1 || errors.Is(waits[0], informer.ErrWaitInHandler) != (mode == store.Lossless) || mode != store.Lossless && waits[0] != nil {
				t.Errorf("mode %d: WaitFor returned %v, want ErrWaitInHandler: %v", mode, waits, mode == store.Lossless)
			}
			if n := inf.Snapshot().Records().Len(); n != 11 {
				t.Errorf("mode %d: got %d objects, want 11", mode, n)
			}
		})
	}
}
