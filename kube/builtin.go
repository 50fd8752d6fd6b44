package kube

import (
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// builtinTable lists the types of k8s.io/api: groups in the order of the server, and
// for each type the plural, kind, scope, versions (preferred version first), verbs, and
// short name. With this table, the Go type of k8s.io/api alone identifies the resource
// to request. A test compares the table with client-go's clients.
const builtinTable = `
core:
bindings Binding namespaced v1 create -
componentstatuses ComponentStatus cluster v1 read cs
configmaps ConfigMap namespaced v1 all cm
endpoints Endpoints namespaced v1 all ep
events Event namespaced v1 all ev
limitranges LimitRange namespaced v1 all limits
namespaces Namespace cluster v1 single ns
nodes Node cluster v1 all no
persistentvolumeclaims PersistentVolumeClaim namespaced v1 all pvc
persistentvolumes PersistentVolume cluster v1 all pv
pods Pod namespaced v1 all po
podtemplates PodTemplate namespaced v1 all -
replicationcontrollers ReplicationController namespaced v1 all rc
resourcequotas ResourceQuota namespaced v1 all quota
secrets Secret namespaced v1 all -
serviceaccounts ServiceAccount namespaced v1 all sa
services Service namespaced v1 all svc
apps:
controllerrevisions ControllerRevision namespaced v1,v1beta2,v1beta1 all -
daemonsets DaemonSet namespaced v1,v1beta2 all ds
deployments Deployment namespaced v1,v1beta2,v1beta1 all deploy
replicasets ReplicaSet namespaced v1,v1beta2 all rs
statefulsets StatefulSet namespaced v1,v1beta2,v1beta1 all sts
events.k8s.io:
events Event namespaced v1,v1beta1 all ev
authentication.k8s.io:
selfsubjectreviews SelfSubjectReview cluster v1,v1beta1,v1alpha1 create -
tokenreviews TokenReview cluster v1,v1beta1 create -
authorization.k8s.io:
localsubjectaccessreviews LocalSubjectAccessReview namespaced v1,v1beta1 create -
selfsubjectaccessreviews SelfSubjectAccessReview cluster v1,v1beta1 create -
selfsubjectrulesreviews SelfSubjectRulesReview cluster v1,v1beta1 create -
subjectaccessreviews SubjectAccessReview cluster v1,v1beta1 create -
autoscaling:
horizontalpodautoscalers HorizontalPodAutoscaler namespaced v2,v1 all hpa
batch:
cronjobs CronJob namespaced v1,v1beta1 all cj
jobs Job namespaced v1 all -
certificates.k8s.io:
certificatesigningrequests CertificateSigningRequest cluster v1,v1beta1 all csr
clustertrustbundles ClusterTrustBundle cluster v1,v1beta1,v1alpha1 all -
podcertificaterequests PodCertificateRequest namespaced v1,v1beta1 all -
networking.k8s.io:
ingressclasses IngressClass cluster v1,v1beta1 all -
ingresses Ingress namespaced v1,v1beta1 all ing
ipaddresses IPAddress cluster v1,v1beta1 all ip
networkpolicies NetworkPolicy namespaced v1 all netpol
servicecidrs ServiceCIDR cluster v1,v1beta1 all -
policy:
poddisruptionbudgets PodDisruptionBudget namespaced v1,v1beta1 all pdb
rbac.authorization.k8s.io:
clusterrolebindings ClusterRoleBinding cluster v1,v1beta1,v1alpha1 all -
clusterroles ClusterRole cluster v1,v1beta1,v1alpha1 all -
rolebindings RoleBinding namespaced v1,v1beta1,v1alpha1 all -
roles Role namespaced v1,v1beta1,v1alpha1 all -
storage.k8s.io:
csidrivers CSIDriver cluster v1,v1beta1 all -
csinodes CSINode cluster v1,v1beta1 all -
csistoragecapacities CSIStorageCapacity namespaced v1,v1beta1,v1alpha1 all -
storageclasses StorageClass cluster v1,v1beta1 all sc
volumeattachments VolumeAttachment cluster v1,v1beta1,v1alpha1 all -
volumeattributesclasses VolumeAttributesClass cluster v1,v1beta1,v1alpha1 all vac
admissionregistration.k8s.io:
mutatingadmissionpolicies MutatingAdmissionPolicy cluster v1,v1beta1,v1alpha1 all -
mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster v1,v1beta1,v1alpha1 all -
mutatingwebhookconfigurations MutatingWebhookConfiguration cluster v1,v1beta1 all -
validatingadmissionpolicies ValidatingAdmissionPolicy cluster v1,v1beta1,v1alpha1 all -
validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster v1,v1beta1,v1alpha1 all -
validatingwebhookconfigurations ValidatingWebhookConfiguration cluster v1,v1beta1 all -
scheduling.k8s.io:
compositepodgroups CompositePodGroup namespaced v1alpha3 all -
podgroups PodGroup namespaced v1beta1,v1alpha3 all -
priorityclasses PriorityClass cluster v1,v1beta1 all pc
workloads Workload namespaced v1beta1,v1alpha3 all -
coordination.k8s.io:
leasecandidates LeaseCandidate namespaced v1beta1,v1alpha2 all -
leases Lease namespaced v1,v1beta1 all -
node.k8s.io:
runtimeclasses RuntimeClass cluster v1,v1beta1,v1alpha1 all -
discovery.k8s.io:
endpointslices EndpointSlice namespaced v1,v1beta1 all -
resource.k8s.io:
deviceclasses DeviceClass cluster v1,v1beta2,v1beta1 all -
devicetaintrules DeviceTaintRule cluster v1,v1beta2,v1alpha3 all -
resourceclaims ResourceClaim namespaced v1,v1beta2,v1beta1 all -
resourceclaimtemplates ResourceClaimTemplate namespaced v1,v1beta2,v1beta1 all -
resourcepoolstatusrequests ResourcePoolStatusRequest cluster v1alpha3 all -
resourceslices ResourceSlice cluster v1,v1beta2,v1beta1 all -
flowcontrol.apiserver.k8s.io:
flowschemas FlowSchema cluster v1,v1beta3,v1beta2,v1beta1 all -
prioritylevelconfigurations PriorityLevelConfiguration cluster v1,v1beta3,v1beta2,v1beta1 all -
internal.apiserver.k8s.io:
storageversions StorageVersion cluster v1alpha1 all -
storagemigration.k8s.io:
storageversionmigrations StorageVersionMigration cluster v1,v1beta1 all -
lifecycle.k8s.io:
evictionrequests EvictionRequest namespaced v1alpha1 all -
evictions Eviction namespaced v1alpha1 all -
extensions:
daemonsets DaemonSet namespaced v1beta1 all ds
deployments Deployment namespaced v1beta1 all deploy
ingresses Ingress namespaced v1beta1 all ing
networkpolicies NetworkPolicy namespaced v1beta1 all netpol
replicasets ReplicaSet namespaced v1beta1 all rs
`

// builtinVerbs maps each verb code of builtinTable to its verbs.
var builtinVerbs = map[string][]string{
	"all":    {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
	"single": {"create", "delete", "get", "list", "patch", "update", "watch"},
	"read":   {"get", "list"},
	"create": {"create"},
}

// builtins returns the types of builtinTable, each in all its versions.
var builtins = sync.OnceValue(func() []Resource {
	var all []Resource
	group := ""
	for line := range strings.Lines(strings.TrimPrefix(builtinTable, "\n")) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutSuffix(line, ":"); ok {
			group = strings.TrimPrefix(name, "core")
			continue
		}
		f := strings.Fields(line)
		r := Resource{Group: group, Name: f[0], Kind: f[1], Singular: strings.ToLower(f[1]), Verbs: builtinVerbs[f[4]]}
		if f[2] == "namespaced" {
			r.Scope = Namespaced
		}
		if f[5] != "-" {
			r.ShortNames = []string{f[5]}
		}
		for version := range strings.SplitSeq(f[3], ",") {
			r.Version = version
			all = append(all, r)
		}
	}
	return all
})

// builtinKinds indexes the types of builtinTable by group, version and kind.
var builtinKinds = sync.OnceValue(func() map[schema.GroupVersionKind]Resource {
	kinds := map[schema.GroupVersionKind]Resource{}
	for _, r := range builtins() {
		kinds[r.kind()] = r
	}
	return kinds
})

// BuiltinResource returns the type of k8s.io/api that has the given kind: its plural, scope
// and verbs, without discovery.
func BuiltinResource(k schema.GroupVersionKind) (Resource, bool) {
	r, ok := builtinKinds()[k]
	return r, ok
}

// builtinGroup reports whether k8s.io/api contains the group.
func builtinGroup(group string) bool { return builtinGroupNames()[group] }

var builtinGroupNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, r := range builtins() {
		names[r.Group] = true
	}
	return names
})

// builtinPackages is the import path prefix of the Go types of k8s.io/api.
const builtinPackages = "k8s.io/api/"

// builtinGroups lists the groups whose name differs from the folder of their Go
// package. A test compares the list with the scheme of client-go.
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
