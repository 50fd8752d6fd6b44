// Command jobttl deletes Jobs some time after they have ended: after the duration in the
// annotation example.com/ttl, or after -ttl.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	metrics := flag.String("metrics", ":8080", "address of metrics")
	probes := flag.String("probes", ":8081", "address of health")
	namespace := flag.String("namespace", "", "namespace of the Lease")
	ttl := flag.Duration("ttl", time.Hour, "how long a Job without the annotation is kept")
	flag.Parse()
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	if err := run(*metrics, *probes, *namespace, *ttl); err != nil {
		ctrl.Log.Error(err, "jobttl has failed")
		os.Exit(1)
	}
}

func run(metrics, probes, namespace string, ttl time.Duration) error {
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        scheme.Scheme,
		Metrics:                       metricsserver.Options{BindAddress: metrics},
		HealthProbeBindAddress:        probes,
		LeaderElection:                true,
		LeaderElectionID:              "jobttl",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	c := &cleaner{mgr.GetClient(), ttl}
	if err := ctrl.NewControllerManagedBy(mgr).For(&batchv1.Job{}).Complete(c); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

type cleaner struct {
	client.Client
	ttl time.Duration
}

func (c *cleaner) Reconcile(ctx context.Context, r ctrl.Request) (ctrl.Result, error) {
	var job batchv1.Job
	if err := c.Get(ctx, r.NamespacedName, &job); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	ended := endOf(&job)
	if ended.IsZero() || job.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	ttl := c.ttl
	if text, ok := job.Annotations["example.com/ttl"]; ok {
		var err error
		if ttl, err = time.ParseDuration(text); err != nil {
			return ctrl.Result{}, reconcile.TerminalError(err)
		}
	}
	if left := time.Until(ended.Add(ttl)); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	err := c.Delete(ctx, &job,
		client.PropagationPolicy(metav1.DeletePropagationBackground),
		client.Preconditions{UID: &job.UID, ResourceVersion: &job.ResourceVersion})
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

// endOf returns when a Job has ended, or zero.
func endOf(job *batchv1.Job) time.Time {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}
