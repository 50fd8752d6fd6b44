package informer

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// builtinPackages is the path below which the built-in types are found.
const builtinPackages = "k8s.io/api/"

// builtinGroups are the groups that are not named like the folder of their Go
// package. A test holds the list against the scheme of client-go.
var builtinGroups = map[string]string{
	"admission":             "admission.k8s.io",
	"admissionregistration": "admissionregistration.k8s.io",
	"apidiscovery":          "apidiscovery.k8s.io",
	"apiserverinternal":     "internal.apiserver.k8s.io",
	"authentication":        "authentication.k8s.io",
	"authorization":         "authorization.k8s.io",
	"certificates":          "certificates.k8s.io",
	"coordination":          "coordination.k8s.io",
	"core":                  "",
	"discovery":             "discovery.k8s.io",
	"events":                "events.k8s.io",
	"flowcontrol":           "flowcontrol.apiserver.k8s.io",
	"imagepolicy":           "imagepolicy.k8s.io",
	"lifecycle":             "lifecycle.k8s.io",
	"networking":            "networking.k8s.io",
	"node":                  "node.k8s.io",
	"rbac":                  "rbac.authorization.k8s.io",
	"resource":              "resource.k8s.io",
	"scheduling":            "scheduling.k8s.io",
	"storage":               "storage.k8s.io",
	"storagemigration":      "storagemigration.k8s.io",
}

// resourceOf names the type that T is, as kube.Cluster.Resolve takes it.
func resourceOf[T any]() (string, error) {
	t := reflect.TypeFor[T]()
	switch t {
	case reflect.TypeFor[unstructured.Unstructured](), reflect.TypeFor[metav1.PartialObjectMetadata]():
		return "", fmt.Errorf("informer: Config.Resource is empty, and %v does not say which type to watch", t)
	}
	if t.Kind() != reflect.Struct || t.Name() == "" {
		return "", fmt.Errorf("informer: %v is not the struct of an API type; for pods take corev1.Pod, not a pointer to it", t)
	}
	path, builtin := strings.CutPrefix(t.PkgPath(), builtinPackages)
	if !builtin {
		return t.Name(), nil
	}
	folder, version, _ := strings.Cut(path, "/")
	group, renamed := builtinGroups[folder]
	if !renamed {
		group = folder
	}
	return t.Name() + "." + version + "." + group, nil
}

// selection is what a type T says of how it is fetched.
type selection struct {
	resource string
	err      error // why resource is empty
	view     kube.View
	encoding kube.Encoding
	// projection is the layout of what is cut out of each object; empty if that is kept
	// as it is.
	projection string
}

func selectionOf[T any]() selection {
	var s selection
	s.resource, s.err = resourceOf[T]()
	if reflect.TypeFor[T]() == reflect.TypeFor[metav1.PartialObjectMetadata]() {
		s.view = kube.Metadata
	}
	if !(wire.Codec[T]{}).Protobuf() {
		s.encoding = kube.PreferCBOR
	}
	return s
}
