package keda_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/conformance/controllers/observe"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/outcome"
	"github.com/vedette-io/vedette/internal/patience"
)

var logged observe.Errors

func TestMain(m *testing.M) {
	ctrl.SetLogger(logged.Logger())
	goleak.VerifyTestMain(m, controlplane.IgnoreSpawner(),
		goleak.IgnoreCurrent(), // leaked by libraries of KEDA's triggers
		// Controller-runtime's own informers leak this goroutine. Ours do not.
		goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop"))
}

const (
	namespace = "default"
	targets   = 660 // each target is a Deployment, a ScaledObject and an autoscaler
	before    = 3   // replicas of a Deployment whose trigger is not active
	most      = 10  // maximum of an autoscaler
	mostThen  = 20
	held      = 5
)

var (
	scaledObjects = kedav1alpha1.SchemeGroupVersion.WithResource("scaledobjects")
	autoscalers   = schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
	deployments   = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// rules ignore fields that may differ between the runs.
var rules = outcome.Rules{
	Types: []schema.GroupVersionResource{scaledObjects, autoscalers, deployments}, Chance: []string{"lastActiveTime"},
}

// TestScaling: KEDA creates autoscalers, scales Deployments, and follows changes of
// ScaledObjects, with the same final objects with both caches.
func TestScaling(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	defineTypes(t, c.RESTConfig())
	var informers observe.Informers
	var left [2][2]outcome.Outcome // by run, and by step
	for i, run := range []struct {
		name     string
		newCache cache.NewCacheFunc
	}{{"stock", cache.New}, {"vedette", controllerruntime.NewCacheWith(informers.Options)}} {
		if !t.Run(run.name, func(t *testing.T) {
			w := newWorld(t, c.RESTConfig())
			heap := outcome.Heap()
			operate(t, c.RESTConfig(), w.kube, run.newCache)
			w.create(t)
			left[i][0] = w.await(t, "created", created)
			grown := outcome.SettledHeap(t.Context()) - heap
			t.Logf("%d targets: %.1f MB more heap after a collection than before the manager began (%.1f MB)", targets, grown, heap)
			w.change(t)
			left[i][1] = w.await(t, "changed", changed)
			w.clear(t)
			logged.Report(t)
		}) {
			return
		}
	}
	for step, name := range []string{"created", "changed"} {
		for _, d := range outcome.Differences(left[0][step], left[1][step]) {
			t.Errorf("%s: stock (-) and vedette (+) differ: %s", name, d)
		}
	}
	informers.Check(t)
}

// defineTypes creates the CustomResourceDefinitions of KEDA.
func defineTypes(t *testing.T, cfg *rest.Config) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kedacore/keda/v2").Output()
	if err != nil {
		t.Fatalf("find the definitions of KEDA: %v", err)
	}
	_, err = envtest.InstallCRDs(cfg, envtest.CRDInstallOptions{
		Paths: []string{filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "bases")}, ErrorIfPathMissing: true, MaxTime: time.Minute,
	})
	if err != nil {
		t.Fatalf("create the definitions of KEDA: %v", err)
	}
}

// world is the cluster of the KEDA operator.
type world struct {
	client.Client
	kube    kubernetes.Interface
	dynamic dynamic.Interface
}

func newWorld(t *testing.T, cfg *rest.Config) *world {
	t.Helper()
	http, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.CloseIdleConnections)
	known := runtime.NewScheme()
	if err := kedav1alpha1.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	w := &world{}
	if w.Client, err = client.New(cfg, client.Options{Scheme: known, HTTPClient: http}); err != nil {
		t.Fatal(err)
	}
	if w.kube, err = kubernetes.NewForConfigAndClient(cfg, http); err != nil {
		t.Fatal(err)
	}
	if w.dynamic, err = dynamic.NewForConfigAndClient(cfg, http); err != nil {
		t.Fatal(err)
	}
	return w
}

func name(i int) string { return fmt.Sprintf("target-%d", i) }

// active reports whether the trigger of a target is active.
func active(i int) bool { return i%2 == 0 }

// The changes of a target.
const (
	raised = iota // the maximum
	paused
	deleted
	kept
	changes
)

// create creates Deployments, and a ScaledObject for each.
func (w *world) create(t *testing.T) {
	t.Helper()
	for i := range targets {
		replicas, start, end := int32(before), "0 0 29 2 *", "1 0 29 2 *" // a minute in four years
		if active(i) {
			replicas, start, end = 0, "0 0 1 1 *", "59 23 31 12 *" // the whole year except one minute
		}
		labels := map[string]string{"of": name(i)}
		d := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name(i), Labels: labels},
			Spec: appsv1.DeploymentSpec{
				Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "main", Image: "example.com/main:1", Args: []string{"serve", "--name", name(i)},
					Env: []corev1.EnvVar{{Name: "A", Value: "a"}, {Name: "B", Value: "b"}, {Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}}},
				}}}},
			},
		}
		if _, err := w.kube.AppsV1().Deployments(namespace).Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		scaled := &kedav1alpha1.ScaledObject{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name(i)},
			Spec: kedav1alpha1.ScaledObjectSpec{
				ScaleTargetRef: &kedav1alpha1.ScaleTarget{Name: name(i)}, MinReplicaCount: new(int32(0)), MaxReplicaCount: new(int32(most)),
				Advanced: &kedav1alpha1.AdvancedConfig{RestoreToOriginalReplicaCount: true},
				Triggers: []kedav1alpha1.ScaleTriggers{{
					Type: "cron", Metadata: map[string]string{"timezone": "Etc/UTC", "start": start, "end": end, "desiredReplicas": "4"},
				}},
			},
		}
		if err := w.Create(t.Context(), scaled); err != nil {
			t.Fatal(err)
		}
	}
}

// change changes three of four ScaledObjects, in three ways.
func (w *world) change(t *testing.T) {
	t.Helper()
	for i := range targets {
		scaled := &kedav1alpha1.ScaledObject{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name(i)}}
		var err error
		switch i % changes {
		case raised:
			err = w.Patch(t.Context(), scaled, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"maxReplicaCount":%d}}`, mostThen)))
		case paused:
			err = w.Patch(t.Context(), scaled, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, kedav1alpha1.PausedReplicasAnnotation, held)))
		case deleted:
			err = w.Delete(t.Context(), scaled)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// target is the state of a target: the replicas of the Deployment, the conditions of the
// ScaledObject, and the maximum of the autoscaler. -1 and "" mean that the object does not
// exist.
type target struct {
	replicas, most int64
	conditions     string
}

func created(i int) target {
	if active(i) {
		return target{1, most, "Active=True Ready=True"}
	}
	return target{0, most, "Active=False Ready=True"}
}

func changed(i int) target {
	want := created(i)
	switch i % changes {
	case raised:
		want.most = mostThen
	case paused:
		want = target{held, -1, "Paused=True Ready=True"}
	case deleted:
		want = target{0, most, ""} // restored; without a garbage collector, the autoscaler remains
	}
	return want
}

// await waits until each target has the wanted state, and returns the objects.
func (w *world) await(t *testing.T, what string, want func(int) target) outcome.Outcome {
	t.Helper()
	return rules.Settled(t, w.dynamic, what, func() string {
		states, err := w.states(t)
		if err != nil {
			return err.Error()
		}
		for i := range targets {
			if got := states[name(i)]; got != want(i) {
				return fmt.Sprintf("%s is %+v, want %+v", name(i), got, want(i))
			}
		}
		return ""
	})
}

// states returns the targets by name.
func (w *world) states(t *testing.T) (map[string]target, error) {
	t.Helper()
	states := map[string]target{}
	for i := range targets {
		states[name(i)] = target{-1, -1, ""}
	}
	for _, r := range rules.Types {
		list, err := w.dynamic.Resource(r).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for _, o := range list.Items {
			of := strings.TrimPrefix(o.GetName(), "keda-hpa-")
			s := states[of]
			switch r {
			case deployments:
				s.replicas, _, _ = unstructured.NestedInt64(o.Object, "spec", "replicas")
			case autoscalers:
				s.most, _, _ = unstructured.NestedInt64(o.Object, "spec", "maxReplicas")
			case scaledObjects:
				s.conditions = conditions(&o)
			}
			states[of] = s
		}
	}
	return states, nil
}

// conditions returns whether a ScaledObject is ready, and whether it is active or paused.
func conditions(o *unstructured.Unstructured) string {
	states := map[string]string{}
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range list {
		if c, ok := c.(map[string]any); ok {
			states[fmt.Sprint(c["type"])] = fmt.Sprint(c["status"])
		}
	}
	first := "Active"
	if states["Paused"] == "True" {
		first = "Paused"
	}
	return fmt.Sprintf("%s=%s Ready=%s", first, states[first], states["Ready"])
}

// clear removes the objects of this run, so that the next one starts empty.
func (w *world) clear(t *testing.T) {
	t.Helper()
	for _, r := range rules.Types {
		if err := w.dynamic.Resource(r).Namespace(namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		patience.Until(t, r.Resource+" are deleted", func() string {
			list, err := w.dynamic.Resource(r).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(list.Items) > 0 {
				return fmt.Sprintf("%d remain (%v)", len(list.Items), err)
			}
			return ""
		})
	}
}
