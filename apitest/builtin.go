package apitest

import (
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"
)

// clusterScoped are the built-in kinds without namespaces, which the Go types do not show.
var clusterScoped = sets.New(
	"Namespace", "Node", "PersistentVolume", "ComponentStatus",
	"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
	"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
	"CertificateSigningRequest", "ClusterTrustBundle",
	"FlowSchema", "PriorityLevelConfiguration", "StorageVersion", "StorageVersionMigration",
	"IPAddress", "IngressClass", "ServiceCIDR", "RuntimeClass",
	"ClusterRole", "ClusterRoleBinding", "PriorityClass",
	"DeviceClass", "DeviceTaintRule", "ResourceSlice", "ResourcePoolStatusRequest",
	"CustomResourceDefinition", "APIService", // if the program has added them to the scheme
	"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass",
)

// shortNames are the short names for kubectl, by kind.
var shortNames = map[string][]string{
	"ComponentStatus": {"cs"}, "ConfigMap": {"cm"}, "Endpoints": {"ep"}, "Event": {"ev"}, "LimitRange": {"limits"},
	"Namespace": {"ns"}, "Node": {"no"}, "PersistentVolume": {"pv"}, "PersistentVolumeClaim": {"pvc"}, "Pod": {"po"},
	"ReplicationController": {"rc"}, "ResourceQuota": {"quota"}, "Service": {"svc"}, "ServiceAccount": {"sa"},
	"DaemonSet": {"ds"}, "Deployment": {"deploy"}, "ReplicaSet": {"rs"}, "StatefulSet": {"sts"},
	"HorizontalPodAutoscaler": {"hpa"}, "CronJob": {"cj"}, "CertificateSigningRequest": {"csr"},
	"Ingress": {"ing"}, "NetworkPolicy": {"netpol"}, "IPAddress": {"ip"}, "PodDisruptionBudget": {"pdb"},
	"PriorityClass": {"pc"}, "StorageClass": {"sc"}, "VolumeAttributesClass": {"vac"},
}

// scalable are the kinds with the scale subresource.
var scalable = sets.New(
	schema.GroupKind{Kind: "ReplicationController"}, schema.GroupKind{Group: "apps", Kind: "Deployment"},
	schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}, schema.GroupKind{Group: "apps", Kind: "StatefulSet"},
)

// generational are the kinds whose metadata.generation counts the changes of everything but metadata and status.
var generational = sets.New(
	schema.GroupKind{Kind: "Pod"}, schema.GroupKind{Kind: "PodTemplate"}, schema.GroupKind{Kind: "ReplicationController"},
	schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicy"},
	schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicyBinding"},
	schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
	schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"},
	schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicyBinding"},
	schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
	schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, schema.GroupKind{Group: "apps", Kind: "Deployment"},
	schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}, schema.GroupKind{Group: "apps", Kind: "StatefulSet"},
	schema.GroupKind{Group: "batch", Kind: "CronJob"}, schema.GroupKind{Group: "batch", Kind: "Job"},
	schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"},
	schema.GroupKind{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"},
	schema.GroupKind{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"},
	schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}, schema.GroupKind{Group: "networking.k8s.io", Kind: "IngressClass"},
	schema.GroupKind{Group: "networking.k8s.io", Kind: "NetworkPolicy"}, schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"},
	schema.GroupKind{Group: "resource.k8s.io", Kind: "DeviceClass"}, schema.GroupKind{Group: "resource.k8s.io", Kind: "DeviceTaintRule"},
	schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceSlice"}, schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
)

// inAll are the kinds of the category "all".
var inAll = sets.New("Pod", "ReplicationController", "Service", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet",
	"HorizontalPodAutoscaler", "CronJob", "Job")

// selectable are the field labels that servers accept, by group and kind. A label is the path of its field, except
// those in fieldPaths.
var selectable = map[schema.GroupKind][]string{
	{Kind: "Pod"}: {
		"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
		"spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName",
	},
	{Kind: "Event"}: {
		"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
		"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
		"reason", "reportingComponent", "source", "type",
	},
	{Group: "events.k8s.io", Kind: "Event"}: {
		"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid", "regarding.apiVersion",
		"regarding.resourceVersion", "regarding.fieldPath", "reason", "reportingController", "type",
	},
	{Kind: "Secret"}:                    {"type"},
	{Kind: "Namespace"}:                 {"status.phase"},
	{Kind: "Node"}:                      {"spec.unschedulable"},
	{Kind: "ReplicationController"}:     {"status.replicas"},
	{Kind: "Service"}:                   {"spec.clusterIP", "spec.type"},
	{Group: "apps", Kind: "ReplicaSet"}: {"status.replicas"},
	{Group: "batch", Kind: "Job"}:       {"status.successful"},
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: {"spec.signerName"},
	{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"}:        {"spec.signerName"},
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}:                 {"spec.nodeName", "spec.driver"},
}

// fieldPaths are the labels that differ from the path of their field.
var fieldPaths = map[string]string{"status.successful": "status.succeeded", "source": "source.component"}

// builtins are the resources of the client-go scheme, each in its most stable version. They never change, so they are
// computed once: reflection over the whole scheme takes time.
var builtins = sync.OnceValue(func() []*resource {
	best := map[schema.GroupKind]schema.GroupVersionKind{}
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if !storable(gvk, goType) {
			continue
		}
		old, known := best[gvk.GroupKind()]
		if !known || version.CompareKubeAwareVersionStrings(gvk.Version, old.Version) > 0 {
			best[gvk.GroupKind()] = gvk
		}
	}
	var all []*resource
	for gk, gvk := range best {
		all = append(all, newBuiltin(gvk, selectable[gk]))
	}
	slices.SortFunc(all, compareResources)
	return all
})

// Builtins returns the built-in types that every server has, sorted by group and plural. The caller may change the
// result.
func Builtins() []Type {
	var types []Type
	for _, res := range builtins() {
		t := res.Type
		t.ShortNames, t.Categories = slices.Clone(t.ShortNames), slices.Clone(t.Categories)
		t.SelectableFields = slices.Clone(t.SelectableFields)
		types = append(types, t)
	}
	return types
}

// storable distinguishes objects that are stored from those that are only sent, such as reviews and options: a stored
// kind has a list kind. No current server has the group extensions.
func storable(gvk schema.GroupVersionKind, goType reflect.Type) bool {
	if gvk.Version == runtime.APIVersionInternal || gvk.Group == "extensions" ||
		!scheme.Scheme.Recognizes(gvk.GroupVersion().WithKind(gvk.Kind+"List")) {
		return false
	}
	_, isObject := reflect.New(goType).Interface().(metav1.Object)
	_, isMessage := reflect.New(goType).Interface().(message)
	return isObject && isMessage
}

// newBuiltin returns the resource of one kind of the scheme.
func newBuiltin(gvk schema.GroupVersionKind, labels []string) *resource {
	goType := scheme.Scheme.AllKnownTypes()[gvk]
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	_, hasStatus := goType.FieldByName("Status")
	res := &resource{
		Type: Type{
			Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Resource: plural.Resource,
			ShortNames: shortNames[gvk.Kind], Namespaced: !clusterScoped.Has(gvk.Kind), Status: hasStatus,
			SelectableFields: labels,
		},
		goType:     goType,
		generation: generational.Has(gvk.GroupKind()),
		scalable:   scalable.Has(gvk.GroupKind()),
	}
	if inAll.Has(gvk.Kind) {
		res.Categories = []string{"all"}
	}
	for _, label := range labels {
		path := label
		if other, ok := fieldPaths[label]; ok {
			path = other
		}
		res.getters = append(res.getters, typedGetter(goType, path))
	}
	return res
}
