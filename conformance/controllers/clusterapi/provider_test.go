package clusterapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/cluster-api/util/test/builder"
)

// The types of the test's providers.
var (
	bootstrapConfigs       = builder.BootstrapGroupVersion.WithResource("genericbootstrapconfigs")
	bootstrapTemplates     = builder.BootstrapGroupVersion.WithResource("genericbootstrapconfigtemplates")
	infrastructures        = builder.InfrastructureGroupVersion.WithResource("genericinfrastructuremachines")
	infrastructureTemplate = builder.InfrastructureGroupVersion.WithResource("genericinfrastructuremachinetemplates")
	infrastructureClusters = builder.InfrastructureGroupVersion.WithResource("genericinfrastructureclusters")
	controlPlanes          = builder.ControlPlaneGroupVersion.WithResource("genericcontrolplanes")
)

type object = map[string]any

// provider creates the objects that Cluster API waits for: the data of each bootstrap config,
// and a Node for each machine of the infrastructure.
type provider struct {
	kube    kubernetes.Interface
	dynamic dynamic.Interface
}

// run handles objects until the test ends.
func (p *provider) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for r, provide := range map[schema.GroupVersionResource]func(context.Context, *unstructured.Unstructured) error{
		bootstrapConfigs: p.bootstrap, infrastructures: p.machine,
	} {
		running.Go(func() {
			for ctx.Err() == nil {
				if err := p.follow(ctx, r, provide); err != nil && ctx.Err() == nil {
					t.Logf("the test's provider of %s restarts after %v", r.Resource, err)
					select { // wait, because the server may be overloaded
					case <-ctx.Done():
					case <-time.After(time.Second): // an input: a pause, because the server may be overloaded
					}
				}
			}
		})
	}
	t.Cleanup(func() { cancel(); running.Wait() })
}

// follow calls provide for all existing and new objects of a type, until the watch ends.
func (p *provider) follow(ctx context.Context, r schema.GroupVersionResource, provide func(context.Context, *unstructured.Unstructured) error) error {
	w, err := p.dynamic.Resource(r).Namespace(namespace).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		switch o, ok := event.Object.(*unstructured.Unstructured); {
		case event.Type == watch.Error:
			return apierrors.FromObject(event.Object)
		case event.Type == watch.Deleted && r == infrastructures && ok:
			// Cluster API also deletes the infrastructure of a Machine that it could not
			// create.
			if err := p.kube.CoreV1().Nodes().Delete(ctx, o.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		case event.Type == watch.Added && ok:
			if err := provide(ctx, o); err != nil && !apierrors.IsNotFound(err) { // a machine may be deleted at once
				return err
			}
		}
	}
	return nil
}

func (p *provider) bootstrap(ctx context.Context, o *unstructured.Unstructured) error {
	return p.patch(ctx, bootstrapConfigs, o.GetName(), object{"status": object{"dataSecretName": o.GetName(), "initialization": object{"dataSecretCreated": true}}}, "status")
}

func (p *provider) machine(ctx context.Context, o *unstructured.Unstructured) error {
	id := "test://" + o.GetName()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: o.GetName()}, Spec: corev1.NodeSpec{ProviderID: id}}
	for condition, status := range map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeReady: corev1.ConditionTrue, corev1.NodeMemoryPressure: corev1.ConditionFalse,
		corev1.NodeDiskPressure: corev1.ConditionFalse, corev1.NodePIDPressure: corev1.ConditionFalse,
	} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: condition, Status: status, Reason: "Test"})
	}
	if _, err := p.kube.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return errors.Join(
		p.patch(ctx, infrastructures, o.GetName(), object{"spec": object{"providerID": id}}),
		p.patch(ctx, infrastructures, o.GetName(), object{"status": object{"initialization": object{"provisioned": true}}}, "status"),
	)
}

func (p *provider) patch(ctx context.Context, r schema.GroupVersionResource, name string, patch object, subresources ...string) error {
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = p.dynamic.Resource(r).Namespace(namespace).Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{}, subresources...)
	return err
}
