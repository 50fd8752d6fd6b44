package crds

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Install installs the definitions of types, such as pytorchjobs.kubeflow.org, and returns
// when the cluster serves them. [Names] returns all types.
func Install(t testing.TB, cluster *kube.Cluster, names ...string) {
	t.Helper()
	client, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: "customresourcedefinitions.apiextensions.k8s.io"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		d, err := definition(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Create(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		patience.Until(t, name+" is established", func() string {
			d, err := client.Get(t.Context(), wire.Key{Name: name})
			if err != nil {
				return err.Error()
			}
			return unestablished(d)
		})
		Served(t, cluster, name)
	}
}

// Served waits until discovery lists a type. A CustomResourceDefinition becomes
// Established a moment earlier, and seconds earlier on a loaded machine.
func Served(t testing.TB, cluster *kube.Cluster, resource string) {
	t.Helper()
	patience.NoError(t, resource+" are served", func() error {
		_, err := cluster.Resolve(t.Context(), resource)
		return err
	})
}

// unestablished explains why a definition is not established; "" if it is.
func unestablished(d *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(d.Object, "status", "conditions")
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		if c["type"] == "Established" && c["status"] == "True" {
			return ""
		}
	}
	return fmt.Sprint(conditions)
}
