// Command jobttl deletes Jobs some time after they have ended: after the duration in the
// annotation example.com/ttl, or after -ttl.
package main

import (
	"context"
	"flag"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/manager"
)

func main() {
	cfg := manager.Config{Name: "jobttl", Replicas: controller.Replicas{Mode: controller.LeaderElection}}
	flag.StringVar(&cfg.Kube.Kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flag.StringVar(&cfg.Listen, "listen", ":8080", "address of health and metrics")
	ttl := flag.Duration("ttl", time.Hour, "how long a Job without the annotation is kept")
	flag.Parse()
	manager.Main(cfg, func(m *manager.Manager) error {
		jobs, err := informer.For[batchv1.Job](m.Factory(), informer.Config{})
		if err != nil {
			return err
		}
		client, err := kube.For[batchv1.Job](m.Cluster(), kube.ClientConfig{})
		if err != nil {
			return err
		}
		c := &cleaner{jobs, client, *ttl}
		return m.AddController(controller.Config{Reconcile: c.reconcile}, controller.Objects(jobs))
	})
}

type cleaner struct {
	jobs   *informer.Informer[batchv1.Job]
	client *kube.Client[batchv1.Job]
	ttl    time.Duration
}

func (c *cleaner) reconcile(ctx context.Context, v informer.View, r controller.Request) error {
	j, found, err := c.jobs.In(v).Get(r.Key)
	if err != nil || !found || j.DeletionTimestamp != nil {
		return err
	}
	status := job.ReadStatus(j)
	if !status.State.Final() {
		return nil
	}
	ttl := c.ttl
	if text, ok := j.Annotations["example.com/ttl"]; ok {
		if ttl, err = time.ParseDuration(text); err != nil {
			return controller.Terminal(err)
		}
	}
	if left := time.Until(status.At.Add(ttl)); left > 0 {
		return controller.RequeueAfter(left)
	}
	same := kube.SameRevision(j)
	same.Propagation = kube.Background
	return kube.IgnoreNotFound(c.client.Delete(ctx, r.Key, same))
}
