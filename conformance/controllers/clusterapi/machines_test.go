package clusterapi_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	"sigs.k8s.io/cluster-api/util/test/builder"
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
		// Cluster API sleeps for ten hours in this goroutine, with either cache.
		goleak.IgnoreAnyFunction("sigs.k8s.io/cluster-api/internal/util/ssa.NewCache.func2"),
		// Controller-runtime's own informers leak this goroutine. Ours do not.
		goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop"))
}

const (
	namespace   = "default"
	clusterName = "cluster"
	deployments = 6
	replicas    = 40 // of each; a Machine has a bootstrap config, an infrastructure and a Node
)

// rules ignore fields that may differ between the runs.
var rules = outcome.Rules{
	Types: []schema.GroupVersionResource{
		clusterv1.GroupVersion.WithResource("clusters"),
		clusterv1.GroupVersion.WithResource("machinedeployments"),
		clusterv1.GroupVersion.WithResource("machinesets"),
		clusterv1.GroupVersion.WithResource("machines"),
		bootstrapConfigs, bootstrapTemplates, infrastructures, infrastructureTemplate, infrastructureClusters, controlPlanes,
		{Version: "v1", Resource: "nodes"},
	},
	Chance: []string{"lastUpdated"},
	Prepare: func(_ string, o *unstructured.Unstructured) bool {
		// The generation counts the steps to this state, which may differ.
		unstructured.RemoveNestedField(o.Object, "metadata", "generation")
		unstructured.RemoveNestedField(o.Object, "status", "observedGeneration")
		conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		for _, c := range conditions {
			delete(c.(object), "observedGeneration")
		}
		if conditions != nil {
			_ = unstructured.SetNestedSlice(o.Object, conditions, "status", "conditions")
		}
		return true
	},
}

// TestMachines: Cluster API creates, rolls, scales and deletes Machines, with the same
// final objects with both caches.
func TestMachines(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	defineTypes(t, c.RESTConfig())
	var informers observe.Informers
	var left [2][2]outcome.Outcome // by run, and by step
	for i, run := range []struct {
		name     string
		newCache cache.NewCacheFunc
	}{{"stock", cache.New}, {"vedette", controllerruntime.NewCacheWith(informers.Options)}} {
		if !t.Run(run.name, func(t *testing.T) {
			before := outcome.Heap()
			w := newWorld(t, c.RESTConfig())
			manage(t, c.RESTConfig(), run.name, run.newCache)
			w.createCluster(t, c.RESTConfig())
			w.createDeployments(t)
			left[i][0] = w.await(t, [deployments]int{replicas, replicas, replicas, replicas, replicas, replicas})
			grown := outcome.SettledHeap(t.Context()) - before
			t.Logf("%v: %.1f MB more heap after a collection than before the manager began (%.1f MB)", left[i][0].Count(), grown, before)
			w.change(t)
			left[i][1] = w.await(t, [deployments]int{replicas, replicas / 2, replicas + 20, replicas, replicas, 0})
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

// defineTypes creates the CustomResourceDefinitions of Cluster API and of the test's providers.
func defineTypes(t *testing.T, cfg *rest.Config) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api").Output()
	if err != nil {
		t.Fatalf("find the definitions of Cluster API: %v", err)
	}
	_, err = envtest.InstallCRDs(cfg, envtest.CRDInstallOptions{
		Paths: []string{filepath.Join(strings.TrimSpace(string(dir)), "core", "config", "crd", "bases")}, ErrorIfPathMissing: true,
		CRDs: []*apiextensions.CustomResourceDefinition{
			builder.GenericBootstrapConfigCRD, builder.GenericBootstrapConfigTemplateCRD, builder.GenericInfrastructureMachineCRD,
			builder.GenericInfrastructureMachineTemplateCRD, builder.GenericInfrastructureClusterCRD, builder.GenericControlPlaneCRD,
		},
		MaxTime: time.Minute,
	})
	if err != nil {
		t.Fatalf("create the definitions of Cluster API: %v", err)
	}
}

// world is the cluster of the Cluster API controllers.
type world struct {
	client.Client
	*provider
}

// newWorld returns a world. Its providers run until the test ends.
func newWorld(t *testing.T, cfg *rest.Config) *world {
	t.Helper()
	http, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.CloseIdleConnections)
	types := runtime.NewScheme()
	if err := clusterv1.AddToScheme(types); err != nil {
		t.Fatal(err)
	}
	w := &world{provider: &provider{}}
	if w.Client, err = client.New(cfg, client.Options{Scheme: types, HTTPClient: http}); err != nil {
		t.Fatal(err)
	}
	if w.kube, err = kubernetes.NewForConfigAndClient(cfg, http); err != nil {
		t.Fatal(err)
	}
	if w.dynamic, err = dynamic.NewForConfigAndClient(cfg, http); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	return w
}

// add creates an object of a provider, and sets its status.
func (w *world) add(t *testing.T, r schema.GroupVersionResource, kind, name string, spec, status object) {
	t.Helper()
	o := &unstructured.Unstructured{Object: object{
		"apiVersion": r.GroupVersion().String(), "kind": kind, "metadata": object{"namespace": namespace, "name": name}, "spec": spec,
	}}
	if _, err := w.dynamic.Resource(r).Namespace(namespace).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if status == nil {
		return
	}
	if err := w.provider.patch(t.Context(), r, name, object{"status": status}, "status"); err != nil {
		t.Fatal(err)
	}
}

func ref(gv schema.GroupVersion, kind, name string) clusterv1.ContractVersionedObjectReference {
	return clusterv1.ContractVersionedObjectReference{APIGroup: gv.Group, Kind: kind, Name: name}
}

// createCluster creates a provisioned Cluster. Its API server is the one of the management
// cluster.
func (w *world) createCluster(t *testing.T, cfg *rest.Config) {
	t.Helper()
	endpoint := object{"host": "127.0.0.1", "port": int64(1)} // not used for connections
	w.add(t, infrastructureClusters, builder.GenericInfrastructureClusterKind, clusterName, object{"controlPlaneEndpoint": endpoint},
		object{"initialization": object{"provisioned": true}})
	w.add(t, controlPlanes, builder.GenericControlPlaneKind, clusterName, object{}, object{"initialization": object{"controlPlaneInitialized": true}, "externalManagedControlPlane": true})
	for _, version := range []string{"1", "2"} {
		w.add(t, bootstrapTemplates, builder.GenericBootstrapConfigTemplateKind, "template-"+version, object{"template": object{"spec": object{"version": version}}}, nil)
		w.add(t, infrastructureTemplate, builder.GenericInfrastructureMachineTemplateKind, "template-"+version, object{"template": object{"spec": object{"version": version}}}, nil)
	}
	cluster := &clusterv1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: clusterName},
		Spec: clusterv1.ClusterSpec{
			InfrastructureRef: ref(builder.InfrastructureGroupVersion, builder.GenericInfrastructureClusterKind, clusterName),
			ControlPlaneRef:   ref(builder.ControlPlaneGroupVersion, builder.GenericControlPlaneKind, clusterName),
		},
	}
	if err := w.Create(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(cfg.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	access := clientcmdapi.NewConfig()
	access.Clusters["c"] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: ca}
	access.AuthInfos["c"] = &clientcmdapi.AuthInfo{Token: cfg.BearerToken}
	access.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "c"}
	access.CurrentContext = "c"
	data, err := clientcmd.Write(*access)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.kube.CoreV1().Secrets(namespace).Create(t.Context(), kubeconfig.GenerateSecret(cluster, data), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func deploymentName(i int) string { return fmt.Sprintf("deployment-%d", i) }

// createDeployments creates MachineDeployments as the webhook of Cluster API would make them.
func (w *world) createDeployments(t *testing.T) {
	t.Helper()
	for i := range deployments {
		labels := map[string]string{clusterv1.ClusterNameLabel: clusterName, clusterv1.MachineDeploymentNameLabel: deploymentName(i)}
		d := &clusterv1.MachineDeployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: deploymentName(i), Labels: map[string]string{clusterv1.ClusterNameLabel: clusterName}},
			Spec: clusterv1.MachineDeploymentSpec{
				ClusterName: clusterName, Replicas: new(int32(replicas)), Selector: metav1.LabelSelector{MatchLabels: labels},
				Rollout: clusterv1.MachineDeploymentRolloutSpec{Strategy: clusterv1.MachineDeploymentRolloutStrategy{
					Type: clusterv1.RollingUpdateMachineDeploymentStrategyType,
					RollingUpdate: clusterv1.MachineDeploymentRolloutStrategyRollingUpdate{
						MaxSurge: new(intstr.FromString("20%")), MaxUnavailable: new(intstr.FromInt32(0)),
					},
				}},
				Template: clusterv1.MachineTemplateSpec{
					ObjectMeta: clusterv1.ObjectMeta{Labels: labels},
					Spec: clusterv1.MachineSpec{
						ClusterName: clusterName, Version: "v1.36.0",
						Bootstrap:         clusterv1.Bootstrap{ConfigRef: ref(builder.BootstrapGroupVersion, builder.GenericBootstrapConfigTemplateKind, "template-1")},
						InfrastructureRef: ref(builder.InfrastructureGroupVersion, builder.GenericInfrastructureMachineTemplateKind, "template-1"),
					},
				},
			},
		}
		if err := w.Create(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

// change rolls one MachineDeployment, scales two, adds a label to the Machines of another
// one, and deletes one.
func (w *world) change(t *testing.T) {
	t.Helper()
	for i, change := range map[int]func(*clusterv1.MachineDeployment){
		0: func(d *clusterv1.MachineDeployment) {
			d.Spec.Template.Spec.Bootstrap.ConfigRef.Name, d.Spec.Template.Spec.InfrastructureRef.Name = "template-2", "template-2"
		},
		1: func(d *clusterv1.MachineDeployment) { *d.Spec.Replicas = replicas / 2 },
		2: func(d *clusterv1.MachineDeployment) { *d.Spec.Replicas = replicas + 20 },
		3: func(d *clusterv1.MachineDeployment) { d.Spec.Template.Labels["of"] = "change" },
	} {
		d := &clusterv1.MachineDeployment{}
		if err := w.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: deploymentName(i)}, d); err != nil {
			t.Fatal(err)
		}
		was := d.DeepCopy()
		change(d)
		if err := w.Patch(t.Context(), d, client.MergeFrom(was)); err != nil {
			t.Fatal(err)
		}
	}
	gone := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: deploymentName(deployments - 1)}}
	if err := w.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
}

// await waits until the MachineDeployments have the wanted number of Machines, all of the
// current template and available, and no other Machines exist. It returns the objects.
func (w *world) await(t *testing.T, want [deployments]int) outcome.Outcome {
	t.Helper()
	return rules.Settled(t, w.dynamic, fmt.Sprintf("%v machines exist", want), func() string {
		total := 0
		for i, n := range want {
			d := &clusterv1.MachineDeployment{}
			total += n
			switch err := w.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: deploymentName(i)}, d); {
			case n == 0 && client.IgnoreNotFound(err) == nil && err != nil:
			case err != nil:
				return err.Error()
			case !complete(d, int32(n)):
				return fmt.Sprintf("%s has status %+v", d.Name, d.Status)
			}
		}
		for _, r := range []schema.GroupVersionResource{clusterv1.GroupVersion.WithResource("machines"), bootstrapConfigs, infrastructures, {Version: "v1", Resource: "nodes"}} {
			list, err := w.dynamic.Resource(r).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(list.Items) != total {
				return fmt.Sprintf("%d %s, want %d (%v)", len(list.Items), r.Resource, total, err)
			}
		}
		return ""
	})
}

func complete(d *clusterv1.MachineDeployment, n int32) bool {
	is := func(p *int32) bool { return p != nil && *p == n }
	s := &d.Status
	return s.ObservedGeneration == d.Generation && is(s.Replicas) && is(s.ReadyReplicas) && is(s.AvailableReplicas) && is(s.UpToDateReplicas)
}

// clear deletes the Cluster, with which Cluster API removes its Machines, and then the
// objects that the test has provided.
func (w *world) clear(t *testing.T) {
	t.Helper()
	if err := w.Delete(t.Context(), &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: clusterName}}); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the Cluster is deleted", func() string {
		list, err := w.dynamic.Resource(clusterv1.GroupVersion.WithResource("clusters")).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) > 0 {
			return fmt.Sprint(err, " ", list)
		}
		return ""
	})
	for _, r := range []schema.GroupVersionResource{
		clusterv1.GroupVersion.WithResource("machinesets"), clusterv1.GroupVersion.WithResource("machines"), bootstrapConfigs, infrastructures, infrastructureClusters, controlPlanes,
	} {
		if list, err := w.dynamic.Resource(r).List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) > 0 {
			t.Errorf("%d %s of the Cluster remain (%v)", len(list.Items), r.Resource, err)
		}
	}
	w.remove(t.Context(), t)
}

// remove deletes the objects that Cluster API leaves to other controllers.
func (w *world) remove(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, r := range []schema.GroupVersionResource{{Version: "v1", Resource: "nodes"}} {
		if err := w.dynamic.Resource(r).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []schema.GroupVersionResource{bootstrapTemplates, infrastructureTemplate, {Version: "v1", Resource: "secrets"}} {
		if err := w.dynamic.Resource(r).Namespace(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
