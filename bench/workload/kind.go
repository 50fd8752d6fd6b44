package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is the interface of all objects of the Kubernetes API.
type Object interface {
	metav1.Object
	runtime.Object
}

// Scope is whether objects have a namespace.
type Scope uint8

const (
	// Cluster objects have none.
	Cluster Scope = iota
	// Namespaced objects have one.
	Namespaced
)

// Kind is one kind of objects: a type of the API, and the shape of its objects.
type Kind struct {
	// Name identifies the kind: "pods", or the name of a shape, "sparse".
	Name     string
	Group    string
	Version  string
	Resource string
	Kind     string
	Scope    Scope
	// Custom marks a custom resource, which has only JSON and CBOR.
	Custom bool

	make func(seed uint64, i int) Object
}

// GVR returns the type in paths.
func (k Kind) GVR() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource}
}

// GVK returns the type in objects.
func (k Kind) GVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// APIVersion returns the version with its group.
func (k Kind) APIVersion() string { return k.GVK().GroupVersion().String() }

// Path returns the path of the resource on a server.
func (k Kind) Path() string {
	if k.Group == "" {
		return "/api/" + k.Version + "/" + k.Resource
	}
	return "/apis/" + k.Group + "/" + k.Version + "/" + k.Resource
}

// New creates the i-th object. It belongs to the caller.
func (k Kind) New(seed uint64, i int) Object {
	obj := k.make(seed, i)
	obj.GetObjectKind().SetGroupVersionKind(k.GVK())
	if obj.GetResourceVersion() == "" {
		obj.SetResourceVersion(fmt.Sprint(FirstVersion + i))
	}
	return obj
}

// FirstVersion is the resourceVersion of the first object; the i-th has FirstVersion + i.
const FirstVersion = 1_000_000

func core(name, resource, kind string, scope Scope, make func(uint64, int) Object) Kind {
	return Kind{Name: name, Version: "v1", Resource: resource, Kind: kind, Scope: scope, make: make}
}

// kinds are the kinds of Of, except widgets.
var kinds = []Kind{
	core("pods", "pods", "Pod", Namespaced, func(seed uint64, i int) Object { return pod(i + int(seed)*otherSeed) }),
	core("busy", "pods", "Pod", Namespaced, busy(perDeployment)),
	core("busy-3", "pods", "Pod", Namespaced, busy(3)),
	core("busy-1", "pods", "Pod", Namespaced, busy(1)),
	core("busy-mixed", "pods", "Pod", Namespaced, busyMixed),
	{Name: "jobs", Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Scope: Namespaced, make: job},
	core("nodes", "nodes", "Node", Cluster, node),
	core("configmaps", "configmaps", "ConfigMap", Namespaced, configMap),
	core("secrets", "secrets", "Secret", Namespaced, secret),
	core("events", "events", "Event", Namespaced, event),
	core("small", "pods", "Pod", Namespaced, small),
	core("sparse", "configmaps", "ConfigMap", Namespaced, sparse),
	core("annotated", "configmaps", "ConfigMap", Namespaced, annotated),
	core("random", "secrets", "Secret", Namespaced, noise),
}

// otherSeed is the distance between the pod indexes of two seeds.
const otherSeed = 1_000_000

// Of returns a kind by its name. "widgets" is a custom resource with 200 fields;
// "widgets-07" is another one like it.
//
// Errors: an unknown kind.
func Of(name string) (Kind, error) {
	if rest, ok := strings.CutPrefix(name, "widgets"); ok {
		suffix := strings.TrimPrefix(rest, "-")
		return widgetKind(name, suffix), nil
	}
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return kinds[i], nil
	}
	return Kind{}, fmt.Errorf("there is no kind %q; there are %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of all kinds.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return append(names, "widgets")
}

// random returns the random source of the i-th object.
func random(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }

var (
	_ Object = (*corev1.Pod)(nil)
	_ Object = (*batchv1.Job)(nil)
)
