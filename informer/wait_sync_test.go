package informer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
)

// TestWaitForSync: it returns when the first list is applied; the error of a context names
// the reason why it is not; an informer that has ended is not waited for.
func TestWaitForSync(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"))
		refused, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(metav1.Status{
			Status: "Failure", Code: 403, Reason: metav1.StatusReasonForbidden, Message: "no right to list pods",
		})})
		if err != nil {
			t.Fatal(err)
		}
		pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		stop := w.start(pods)
		impatient, cancel := context.WithTimeout(w.ctx, time.Second) // an input: the limit of the wait
		defer cancel()
		if err := pods.WaitForSync(impatient); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no right to list pods") {
			t.Errorf("got error %v, want the end of the context and the refusal", err)
		}
		refused.Release()
		if err := pods.WaitForSync(w.ctx); err != nil || pods.Snapshot().Records().Len() != 1 {
			t.Errorf("got error %v with %d objects, want one object", err, pods.Snapshot().Records().Len())
		}
		stop()
		if err := pods.WaitForSync(w.ctx); err != nil {
			t.Errorf("after a synced informer has stopped: got error %v", err)
		}
		never := must(informer.Watch[corev1.Node](w.cluster, informer.Config{}))
		ended, end := context.WithCancel(w.ctx)
		end()
		if err := never.Run(ended); err != nil {
			t.Error(err)
		}
		if err := never.WaitForSync(w.ctx); !errors.Is(err, informer.ErrStopped) {
			t.Errorf("an informer that never was synced and has stopped: got error %v", err)
		}
	})
}

// TestFactoryWaitForSync: it does not wait for an informer that was released, and returns
// ErrStopped for an informer that has ended before it was synced.
func TestFactoryWaitForSync(t *testing.T) {
	inWorld(t, func(w *world) {
		w.inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(500, 0))})
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		released := must(informer.For[corev1.Pod](f, informer.Config{}))
		ctx, end := context.WithCancel(w.ctx)
		ended := make(chan error, 1)
		go func() { ended <- f.Run(ctx) }()
		time.AfterFunc(time.Minute, released.Release) // an input: fake time
		if err := f.WaitForSync(w.ctx); err != nil {
			t.Errorf("after the release: got error %v", err)
		}
		must(informer.For[corev1.Pod](f, informer.Config{}))
		time.AfterFunc(time.Minute, end) // an input: fake time
		if err := f.WaitForSync(w.ctx); !errors.Is(err, informer.ErrStopped) {
			t.Errorf("after the end of Run: got error %v, want ErrStopped", err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
