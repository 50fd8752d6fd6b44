package contest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
)

// Await waits until holds returns true.
func Await(ctx context.Context, holds func() bool) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// newPoster returns the usual simple solution: an informer of client-go with a handler that
// posts each change of a phase. It has no database: it loses unsent messages when it ends,
// never retries, and one slow answer delays all later messages.
func newPoster(_ context.Context, _ *Task, srv *apitest.Server, receiver string) (run, ready func(context.Context) error, err error) {
	client, err := kubernetes.NewForConfig(srv.RESTConfig())
	if err != nil {
		return nil, nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	var post http.Client
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		old, now := before.(*corev1.Pod), after.(*corev1.Pod)
		if old.Status.Phase == now.Status.Phase {
			return
		}
		text := fmt.Appendf(nil, `{"id":"bench/%s/%s/%s","data":{"job":{"uid":%q}}}`, now.UID, now.ResourceVersion, now.Status.Phase, now.UID)
		resp, err := post.Post(receiver, "application/json", bytes.NewReader(text))
		if err == nil {
			_ = resp.Body.Close()
		}
	}})
	if err != nil {
		return nil, nil, err
	}
	run = func(ctx context.Context) error {
		factory.Start(ctx.Done())
		<-ctx.Done()
		factory.Shutdown()
		post.CloseIdleConnections()
		return nil
	}
	ready = func(ctx context.Context) error { return Await(ctx, informer.HasSynced) }
	return run, ready, nil
}
