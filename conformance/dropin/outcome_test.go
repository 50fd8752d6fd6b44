package dropin_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/outcome"
)

// compared are the types whose objects must be the same after both runs.
var compared = []schema.GroupVersionResource{
	{Version: "v1", Resource: "namespaces"},
	{Version: "v1", Resource: "nodes"},
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "endpoints"},
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "serviceaccounts"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "replicasets"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
}

// rules ignore differences between two runs of the same program: addresses, the choice among
// equal nodes, and the number of the last pod with anti-affinity.
var rules = outcome.Rules{
	Types: compared,
	Chance: []string{
		"containerID", "podIP", "podIPs", "hostIP", "hostIPs", "nodeName", "ip", "addresses", "batch.kubernetes.io/controller-uid", "controller-uid",
		"endpoints.kubernetes.io/last-change-trigger-time", "ca.crt",
	},
	Names: regexp.MustCompile(`^apart-\d+$`),
	Prepare: func(resource string, object *unstructured.Unstructured) bool {
		if resource == "endpointslices" || resource == "replicasets" {
			// The generation counts the steps to this state, which may differ.
			unstructured.RemoveNestedField(object.Object, "metadata", "generation")
			unstructured.RemoveNestedField(object.Object, "status", "observedGeneration")
		}
		// The service kubernetes has the port of this API server.
		return object.GetNamespace() != metav1.NamespaceDefault || object.GetName() != "kubernetes"
	},
}

// checkPlaces compares the pods with the nodes: no node exceeds its capacity, the cordoned
// one has no pods, and pods with anti-affinity are on different nodes.
func checkPlaces(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	list, err := client.CoreV1().Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	used, pods, apart := map[string]*resource.Quantity{}, map[string]int{}, map[string]string{}
	for _, pod := range list.Items {
		node := pod.Spec.NodeName
		if node == "" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		if used[node] == nil {
			used[node] = new(resource.Quantity)
		}
		pods[node]++
		for _, c := range pod.Spec.Containers {
			used[node].Add(c.Resources.Requests[corev1.ResourceCPU])
		}
		if pod.Labels[labelOf] == "apart" {
			if other, taken := apart[node]; taken {
				t.Errorf("%s and %s are both on %s", other, pod.Name, node)
			}
			apart[node] = pod.Name
		}
	}
	room, most := resource.MustParse(nodeCPU), resource.MustParse(nodePods)
	for node, cpu := range used {
		if cpu.Cmp(room) > 0 || int64(pods[node]) > most.Value() {
			t.Errorf("%s has %d pods that request %s CPUs; its capacity is %s pods and %s CPUs", node, pods[node], cpu, nodePods, nodeCPU)
		}
	}
	if n := pods[cordoned]; n != 0 {
		t.Errorf("%d pods are on %s, which is cordoned", n, cordoned)
	}
}

// checkOwners finds objects whose owner no longer exists.
func checkOwners(t *testing.T, client dynamic.Interface) {
	t.Helper()
	uids, owned := map[string]bool{}, []unstructured.Unstructured{}
	for _, r := range compared {
		list, err := client.Resource(r).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			uids[string(item.GetUID())] = true
			if len(item.GetOwnerReferences()) > 0 {
				owned = append(owned, item)
			}
		}
	}
	for _, item := range owned {
		for _, owner := range item.GetOwnerReferences() {
			if !uids[string(owner.UID)] {
				t.Errorf("%s %s/%s remains, but its owner %s %s was deleted", item.GetKind(), item.GetNamespace(), item.GetName(), owner.Kind, owner.Name)
			}
		}
	}
}

// checkEndpoints compares the endpoints of each service with the pods that it selects.
func checkEndpoints(t *testing.T, client kubernetes.Interface, services int) (problem string) {
	t.Helper()
	list, err := client.DiscoveryV1().EndpointSlices(rollouts).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	ready := map[string]int{}
	for _, slice := range list.Items {
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready != nil && *e.Conditions.Ready {
				ready[slice.Labels[discoveryv1.LabelServiceName]]++
			}
		}
	}
	full := 0
	for _, n := range ready {
		if n == replicas {
			full++
		}
	}
	if full != services || len(ready) != services {
		return fmt.Sprintf("%d of %d services have %d ready endpoints each; endpoints by service: %v", full, services, replicas, ready)
	}
	return ""
}

// reasons counts the events by kind and reason.
func reasons(ctx context.Context, client kubernetes.Interface) (map[string]int, error) {
	list, err := client.CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, e := range list.Items {
		n := max(int(e.Count), 1)
		if e.Series != nil {
			n = int(e.Series.Count)
		}
		counts[e.InvolvedObject.Kind+" "+e.Reason] += n
	}
	return counts, nil
}
