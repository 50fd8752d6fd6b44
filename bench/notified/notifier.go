// Package notified is Vedette's messenger: a recorder and a notifier. It is separate from
// package contest, because its many dependencies would increase the memory of other
// contestants.
package notified

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/record"
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

// Open returns a recorder and a notifier on an empty database.
func Open(ctx context.Context, t *contest.Task, srv *apitest.Server, receiver string) (run, ready func(context.Context) error, err error) {
	d, err := t.EmptyDatabase(ctx)
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
		return contest.Await(ctx, func() bool {
			cursors, err := feed.Cursors(ctx, d)
			return err == nil && len(cursors) > 0 && r.Health().Targets[0].Ready
		})
	}
	return run, ready, nil
}
