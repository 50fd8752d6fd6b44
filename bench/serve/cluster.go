package serve

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/bench/workload"
)

// cluster answers requests for the identity and the types of the cluster: the namespace
// kube-system, and discovery.
func (s *Server) cluster(w http.ResponseWriter, path string) (known bool) {
	answers := map[string]any{
		"/api/v1/namespaces/kube-system": metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{Kind: "Namespace", APIVersion: "v1"},
			ObjectMeta: metav1.ObjectMeta{Name: "kube-system", UID: "00000000-0000-4000-8000-000000000001", ResourceVersion: "1"},
		},
		"/api": metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
	}
	groups := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	lists := map[string]*metav1.APIResourceList{}
	add := func(k workload.Kind, verbs ...string) {
		path := "/apis/" + k.Group + "/" + k.Version
		if k.Group == "" {
			path = "/api/" + k.Version
		}
		if lists[path] == nil {
			lists[path] = &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: k.APIVersion()}
			if k.Group != "" {
				version := metav1.GroupVersionForDiscovery{GroupVersion: k.APIVersion(), Version: k.Version}
				groups.Groups = append(groups.Groups, metav1.APIGroup{Name: k.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
			}
		}
		lists[path].APIResources = append(lists[path].APIResources, metav1.APIResource{Name: k.Resource, Kind: k.Kind, Namespaced: k.Scope == workload.Namespaced, Verbs: verbs})
	}
	add(workload.Kind{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, "get")
	for _, set := range s.sets {
		add(set.kind, "get", "list", "watch")
	}
	answers["/apis"] = groups
	answer := answers[path]
	if list := lists[path]; list != nil {
		answer = list
	}
	if answer == nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client may have disconnected
	return true
}
