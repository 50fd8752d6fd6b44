package apitest

import (
	"encoding/json"
	"net/http"
	"strings"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mediaAggregated is the media type in which clients request all of discovery as one document.
const mediaAggregated = mediaJSON + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// wantsAggregated reports whether a client accepts that document. All clients that name it prefer it.
func wantsAggregated(accept string) bool {
	for _, c := range clauses(accept) {
		if c.media == mediaJSON && c.params["as"] == "APIGroupDiscoveryList" &&
			c.params["g"] == discoveryv2.GroupName && c.params["v"] == "v2" {
			return true
		}
	}
	return false
}

// sendAggregated answers with the resources of the core group, or of all others.
func (s *Server) sendAggregated(w http.ResponseWriter, c *call, core bool) {
	list := discoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: discoveryv2.SchemeGroupVersion.String()},
		Items:    []discoveryv2.APIGroupDiscovery{},
	}
	if core {
		list.Items = append(list.Items, s.discoverGroup("", []string{"v1"}))
	} else {
		for _, group := range s.groups() {
			var versions []string
			for _, v := range group.Versions {
				versions = append(versions, v.Version)
			}
			list.Items = append(list.Items, s.discoverGroup(group.Name, versions))
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	w.Header().Set("Content-Type", mediaAggregated)
	// An error means that the client has closed the connection.
	_, _ = w.Write(append(data, '\n'))
}

// discoverGroup describes the versions of a group, in the order given.
func (s *Server) discoverGroup(name string, versions []string) discoveryv2.APIGroupDiscovery {
	group := discoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, version := range versions {
		v := discoveryv2.APIVersionDiscovery{Version: version, Freshness: discoveryv2.DiscoveryFreshnessCurrent}
		for _, res := range s.served() {
			if res.Group == name && res.Version == version {
				v.Resources = append(v.Resources, res.discover())
			}
		}
		group.Versions = append(group.Versions, v)
	}
	return group
}

// discover describes the resource.
func (r *resource) discover() discoveryv2.APIResourceDiscovery {
	kind := metav1.GroupVersionKind(r.GroupVersionKind())
	d := discoveryv2.APIResourceDiscovery{
		Resource: r.Resource, SingularResource: strings.ToLower(r.Kind), ResponseKind: &kind, Verbs: verbs,
		ShortNames: r.ShortNames, Categories: r.Categories, Scope: discoveryv2.ScopeCluster,
	}
	if r.Namespaced {
		d.Scope = discoveryv2.ScopeNamespace
	}
	if r.Status {
		d.Subresources = append(d.Subresources, discoveryv2.APISubresourceDiscovery{
			Subresource: statusSubresource, ResponseKind: &kind, Verbs: subresourceVerbs,
		})
	}
	if r.hasLog() {
		d.Subresources = append(d.Subresources, discoveryv2.APISubresourceDiscovery{
			Subresource: logSubresource, ResponseKind: &kind, Verbs: metav1.Verbs{"get"},
		})
	}
	if r.scalable {
		scale := metav1.GroupVersionKind(scaleKind)
		d.Subresources = append(d.Subresources, discoveryv2.APISubresourceDiscovery{
			Subresource: scaleSubresource, ResponseKind: &scale, Verbs: subresourceVerbs,
		})
	}
	return d
}
