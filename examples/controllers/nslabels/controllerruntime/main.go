// Command nslabels copies labels of a Namespace to its Deployments, and to the ReplicaSets
// that they own.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"strings"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	metrics := flag.String("metrics", ":8080", "address of metrics")
	probes := flag.String("probes", ":8081", "address of health")
	namespace := flag.String("namespace", "", "namespace of the Lease")
	names := flag.String("labels", "team,cost-center", "labels to copy")
	flag.Parse()
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	if err := run(*metrics, *probes, *namespace, strings.Split(*names, ",")); err != nil {
		ctrl.Log.Error(err, "nslabels has failed")
		os.Exit(1)
	}
}

func run(metrics, probes, namespace string, names []string) error {
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        scheme.Scheme,
		Metrics:                       metricsserver.Options{BindAddress: metrics},
		HealthProbeBindAddress:        probes,
		LeaderElection:                true,
		LeaderElectionID:              "nslabels",
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
	if err := mgr.GetFieldIndexer().IndexField(ctx, &appsv1.ReplicaSet{}, ownerUID, ownerUIDs); err != nil {
		return err
	}
	p := &propagator{mgr.GetClient(), names}
	err = ctrl.NewControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&appsv1.ReplicaSet{}).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(p.within), builder.WithPredicates(predicate.LabelChangedPredicate{})).
		Complete(p)
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// ownerUID is the name of an index.
const ownerUID = "metadata.ownerReferences.uid"

func ownerUIDs(obj client.Object) []string {
	var uids []string
	for _, ref := range obj.GetOwnerReferences() {
		uids = append(uids, string(ref.UID))
	}
	return uids
}

type propagator struct {
	client.Client
	names []string
}

// within returns the Deployments of a Namespace.
func (p *propagator) within(ctx context.Context, namespace client.Object) []reconcile.Request {
	var deployments appsv1.DeploymentList
	if err := p.List(ctx, &deployments, client.InNamespace(namespace.GetName()), client.UnsafeDisableDeepCopy); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list Deployments", "namespace", namespace.GetName())
		return nil
	}
	var requests []reconcile.Request
	for i := range deployments.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&deployments.Items[i])})
	}
	return requests
}

func (p *propagator) Reconcile(ctx context.Context, r ctrl.Request) (ctrl.Result, error) {
	var deployment appsv1.Deployment
	if err := p.Get(ctx, r.NamespacedName, &deployment); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var namespace corev1.Namespace
	if err := p.Get(ctx, client.ObjectKey{Name: r.Namespace}, &namespace); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := p.label(ctx, &namespace, &deployment); err != nil {
		return ctrl.Result{}, err
	}
	var sets appsv1.ReplicaSetList
	if err := p.List(ctx, &sets, client.InNamespace(r.Namespace), client.MatchingFields{ownerUID: string(deployment.UID)}); err != nil {
		return ctrl.Result{}, err
	}
	for i := range sets.Items {
		if err := p.label(ctx, &namespace, &sets.Items[i]); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

// label gives an object the labels of its Namespace.
func (p *propagator) label(ctx context.Context, namespace metav1.Object, obj client.Object) error {
	before := obj.DeepCopyObject().(client.Object)
	labels, differs := obj.GetLabels(), false
	if labels == nil {
		labels = map[string]string{}
	}
	for _, name := range p.names {
		want, wanted := namespace.GetLabels()[name]
		switch has, set := labels[name]; {
		case wanted && has != want:
			labels[name], differs = want, true
		case set && !wanted:
			delete(labels, name)
			differs = true
		}
	}
	if !differs {
		return nil
	}
	obj.SetLabels(labels)
	return client.IgnoreNotFound(p.Patch(ctx, obj, client.MergeFrom(before)))
}
