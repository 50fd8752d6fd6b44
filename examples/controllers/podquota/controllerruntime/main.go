// Command podquota warns about the Pods of a team beyond its quota: the label team names the
// team, and -limit is the number of Pods that may exist and have not ended.
package main

import (
	"cmp"
	"context"
	"flag"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/kubernetes/scheme"
	k8sevents "k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	metrics := flag.String("metrics", ":8080", "address of metrics")
	probes := flag.String("probes", ":8081", "address of health")
	namespace := flag.String("namespace", "", "namespace of the Lease")
	limit := flag.Int("limit", 100, "how many Pods a team may have")
	flag.Parse()
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	if err := run(*metrics, *probes, *namespace, *limit); err != nil {
		ctrl.Log.Error(err, "podquota has failed")
		os.Exit(1)
	}
}

func run(metrics, probes, namespace string, limit int) error {
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	labeled, err := labels.NewRequirement(team, selection.Exists, nil)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        scheme.Scheme,
		Cache:                         cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: {Label: labels.NewSelector().Add(*labeled)}}},
		Metrics:                       metricsserver.Options{BindAddress: metrics},
		HealthProbeBindAddress:        probes,
		LeaderElection:                true,
		LeaderElectionID:              "podquota",
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
	ctx := ctrl.SetupSignalHandler()
	err = mgr.GetFieldIndexer().IndexField(ctx, &corev1.Pod{}, team, func(obj client.Object) []string { return []string{obj.GetLabels()[team]} })
	if err != nil {
		return err
	}
	w := &watcher{mgr.GetClient(), mgr.GetEventRecorder("podquota"), limit}
	err = ctrl.NewControllerManagedBy(mgr).
		Named("podquota").
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(teamOf)).
		Complete(w)
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// team is a label, and the name of an index over it.
const team = "team"

func teamOf(_ context.Context, pod client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: pod.GetLabels()[team]}}}
}

type watcher struct {
	client.Client
	events k8sevents.EventRecorder
	limit  int
}

func (w *watcher) Reconcile(ctx context.Context, r ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := w.List(ctx, &pods, client.MatchingFields{team: r.Name}); err != nil {
		return ctrl.Result{}, err
	}
	var active []*corev1.Pod
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed && pod.DeletionTimestamp == nil {
			active = append(active, pod)
		}
	}
	if len(active) <= w.limit {
		return ctrl.Result{}, nil
	}
	slices.SortFunc(active, func(a, b *corev1.Pod) int { // the cache has no order
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	for _, pod := range active[w.limit:] {
		w.events.Eventf(pod, nil, corev1.EventTypeWarning, "QuotaExceeded", "Count", "the team %s has %d Pods, and its limit is %d", r.Name, len(active), w.limit)
	}
	return ctrl.Result{}, nil
}
