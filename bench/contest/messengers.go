package contest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/notify"
	"github.com/vedette-io/vedette/notify/config"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/record/feed"
)

const notifyRules = `
network: {allow: [127.0.0.0/8]}
channels:
  inbox: {type: webhook, url: %q, secret: {env: SECRET}}
rules:
- name: all
  types: [pods]
  enter: [Running, Failed]
  to: [inbox]
  now: true
`

// newNotifier returns a recorder and a notifier on an empty database.
func newNotifier(ctx context.Context, t *Task, srv *apitest.Server, receiver string) (run, ready func(context.Context) error, err error) {
	d, _, err := t.database(ctx)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	r, err := record.New(d, record.Config{Cluster: cluster, ClusterName: "bench", Name: "bench", Targets: []record.Target{{Type: "pods"}}})
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	secret := func(string) (string, bool) {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef")), true
	}
	file, err := config.Parse("notify.yaml", fmt.Appendf(nil, notifyRules, receiver), config.Options{LookupEnv: secret})
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	n, err := notify.New(d, notify.Config{File: file})
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	run = func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var work sync.WaitGroup
		var recorded, notified error
		work.Go(func() { recorded = r.Run(ctx); cancel() })
		work.Go(func() { notified = n.Run(ctx); cancel() })
		work.Wait()
		cluster.Close()
		return errors.Join(recorded, notified, d.Close())
	}
	ready = func(ctx context.Context) error {
		return await(ctx, func() bool {
			cursors, err := feed.Cursors(ctx, d)
			return err == nil && len(cursors) > 0 && r.Health().Targets[0].Ready
		})
	}
	return run, ready, nil
}

// await waits until something holds.
func await(ctx context.Context, holds func() bool) error {
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

// newPoster returns what most projects write: an informer of client-go whose handler posts
// each change of a phase. It has no database: it forgets what it did not send when it ends,
// never tries again, and one slow answer delays all later messages.
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
	ready = func(ctx context.Context) error { return await(ctx, informer.HasSynced) }
	return run, ready, nil
}
