// Command nslabels copies labels of a Namespace to its Deployments, and to the ReplicaSets
// that they own.
package main

import (
	"context"
	"flag"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/manager"
	"github.com/vedette-io/vedette/wire"
)

func main() {
	cfg := manager.Config{Name: "nslabels", Replicas: controller.Replicas{Mode: controller.LeaderElection}}
	flag.StringVar(&cfg.Kube.Kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flag.StringVar(&cfg.Listen, "listen", ":8080", "address of health and metrics")
	names := flag.String("labels", "team,cost-center", "labels to copy")
	flag.Parse()
	manager.Main(cfg, func(m *manager.Manager) error { return setUp(m, strings.Split(*names, ",")) })
}

type propagator struct {
	names       []string
	namespaces  *informer.Informer[corev1.Namespace]
	deployments *informer.Informer[appsv1.Deployment]
	sets        *informer.Informer[appsv1.ReplicaSet]
	byOwner     *informer.Index[appsv1.ReplicaSet]
	deployer    *kube.Client[appsv1.Deployment]
	setter      *kube.Client[appsv1.ReplicaSet]
}

func setUp(m *manager.Manager, names []string) (err error) {
	p := &propagator{names: names}
	if p.namespaces, err = informer.For[corev1.Namespace](m.Factory(), informer.Config{}); err != nil {
		return err
	}
	if p.deployments, err = informer.For[appsv1.Deployment](m.Factory(), informer.Config{}); err != nil {
		return err
	}
	if p.sets, err = informer.For[appsv1.ReplicaSet](m.Factory(), informer.Config{}); err != nil {
		return err
	}
	if p.byOwner, err = informer.IndexField(p.sets, "metadata.ownerReferences[*].uid"); err != nil {
		return err
	}
	if p.deployer, err = kube.For[appsv1.Deployment](m.Cluster(), kube.ClientConfig{}); err != nil {
		return err
	}
	if p.setter, err = kube.For[appsv1.ReplicaSet](m.Cluster(), kube.ClientConfig{}); err != nil {
		return err
	}
	return m.AddController(controller.Config{Reconcile: p.reconcile},
		controller.Objects(p.deployments),
		controller.Owners(p.sets, controller.Owner{Group: "apps", Kind: "Deployment"}),
		controller.MappedObjects(p.namespaces, p.within, informer.LabelsChanged()))
}

// within returns the Deployments of a Namespace.
func (p *propagator) within(namespace *corev1.Namespace) []wire.Key {
	keys, err := p.deployments.Snapshot().Keys(namespace.Name)
	if err != nil {
		return nil // the first list of Deployments enqueues all their keys
	}
	return slices.Collect(keys)
}

func (p *propagator) reconcile(ctx context.Context, v informer.View, r controller.Request) error {
	deployment, found, err := p.deployments.In(v).Get(r.Key)
	if err != nil || !found {
		return err
	}
	namespace, found, err := p.namespaces.In(v).Get(wire.Key{Name: r.Key.Namespace})
	if err != nil || !found {
		return err
	}
	if patch, differs := p.patch(namespace, deployment); differs {
		if _, err := p.deployer.Patch(ctx, r.Key, patch); err != nil {
			return kube.IgnoreNotFound(err)
		}
	}
	for set, err := range p.byOwner.Get(p.sets.In(v), string(deployment.UID)) {
		if err != nil {
			return err
		}
		if patch, differs := p.patch(namespace, set); differs {
			if _, err := p.setter.Patch(ctx, kube.KeyOf(set), patch); kube.IgnoreNotFound(err) != nil {
				return err
			}
		}
	}
	return nil
}

// patch returns the patch that gives an object the labels of its Namespace.
func (p *propagator) patch(namespace, obj metav1.Object) (kube.Patch, bool) {
	labels := map[string]any{}
	for _, name := range p.names {
		want, wanted := namespace.GetLabels()[name]
		switch has, set := obj.GetLabels()[name]; {
		case wanted && has != want:
			labels[name] = want
		case set && !wanted:
			labels[name] = nil // removes it
		}
	}
	return kube.MergePatch(map[string]any{"metadata": map[string]any{"labels": labels}}), len(labels) > 0
}
