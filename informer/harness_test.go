package informer_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// world is the environment of a test in fake time: a server, a connection to it, and the
// goroutines of the test.
type world struct {
	t       *testing.T
	srv     *apitest.Server
	cluster *kube.Cluster
	work    sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc
}

// inWorld runs script in fake time. Then it ends all that the script has started with run,
// and waits for it.
func inWorld(t *testing.T, script func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t}
		w.srv, w.cluster = serve(t, apitest.Config{})
		w.ctx, w.cancel = context.WithCancel(t.Context())
		defer w.work.Wait()
		defer w.cancel()
		script(w)
	})
}

// run runs an informer or a factory until the end of the script.
func (w *world) run(runner interface{ Run(context.Context) error }) {
	w.work.Go(func() {
		if err := runner.Run(w.ctx); err != nil {
			w.t.Errorf("Run: got %v, want nil", err)
		}
	})
}

// start runs an informer or a factory until stop is called. stop waits until Run returns.
func (w *world) start(runner interface{ Run(context.Context) error }) (stop func()) {
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan struct{})
	w.work.Go(func() {
		defer close(done)
		if err := runner.Run(ctx); err != nil {
			w.t.Errorf("Run: got %v, want nil", err)
		}
	})
	return func() {
		cancel()
		<-done
	}
}

// create creates pods on the server.
func (w *world) create(pods ...*corev1.Pod) {
	w.t.Helper()
	for _, p := range pods {
		if _, err := w.srv.Create(p); err != nil {
			w.t.Fatal(err)
		}
	}
}

// delete deletes a pod in the namespace default on the server.
func (w *world) delete(name string) {
	w.t.Helper()
	if err := w.srv.Delete(pod(name)); err != nil {
		w.t.Fatal(err)
	}
}

// moveTo changes the node of a pod, and returns the new version.
func (w *world) moveTo(name, node string) wire.Version {
	w.t.Helper()
	obj, err := w.srv.Get(pod(name))
	if err != nil {
		w.t.Fatal(err)
	}
	p := obj.(*corev1.Pod)
	p.Spec.NodeName = node
	updated, err := w.srv.Update(p)
	if err != nil {
		w.t.Fatal(err)
	}
	v, err := wire.ParseVersion(updated.(*corev1.Pod).ResourceVersion)
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// advance lets fake time pass, and then waits until all goroutines are blocked.
func (w *world) advance(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// podOn returns a pod on a node.
func podOn(node, name string) *corev1.Pod {
	p := pod(name)
	p.Spec.NodeName = node
	return p
}

// podIn returns a pod in a namespace.
func podIn(namespace, name string) *corev1.Pod {
	p := pod(name)
	p.Namespace = namespace
	return p
}

// key returns the key of an object in the namespace default.
func key(name string) wire.Key { return wire.Key{Namespace: "default", Name: name} }

// names returns the names of objects. An error fails the test.
func names(t *testing.T, all func(func(*corev1.Pod, error) bool)) []string {
	t.Helper()
	var out []string
	for p, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p.Name)
	}
	return out
}

// isClosed reports whether a channel is closed.
func isClosed[T any](c <-chan T) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// must returns the result of a function that is known to succeed.
func must[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}
