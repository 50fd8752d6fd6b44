package apitest

import (
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// verbs are the verbs of every type.
var verbs = metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// subresourceVerbs are the verbs of a status or a scale.
var subresourceVerbs = metav1.Verbs{"get", "patch", "update"}

// serveOther answers requests for health, version and discovery.
func (s *Server) serveOther(w http.ResponseWriter, c *call) {
	if c.table != nil {
		s.fail(w, c, apierrors.NewMethodNotSupported(c.Resource.GroupResource(), strings.ToLower(c.handler.Method)))
		return
	}
	parts := strings.Split(strings.Trim(c.Path, "/"), "/")
	switch {
	case len(parts) == 1 && (parts[0] == "healthz" || parts[0] == "readyz" || parts[0] == "livez"):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// An error means that the client has closed the connection.
		_, _ = w.Write([]byte("ok"))
	case len(parts) == 1 && parts[0] == "version":
		major, minor, _ := strings.Cut(strings.TrimPrefix(s.cfg.Release, "v"), ".")
		minor, _, _ = strings.Cut(minor, ".")
		s.sendJSON(w, c, version.Info{Major: major, Minor: minor, GitVersion: s.cfg.Release, Platform: "apitest"})
	case len(parts) == 1 && (parts[0] == "api" || parts[0] == "apis") && wantsAggregated(c.Accept):
		s.sendAggregated(w, c, parts[0] == "api")
	case len(parts) == 1 && parts[0] == "api":
		s.sendJSON(w, c, metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
			ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{},
		})
	case len(parts) == 1 && parts[0] == "apis":
		s.sendJSON(w, c, metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: s.groups(),
		})
	case len(parts) == 2 && parts[0] == "api":
		s.sendResources(w, c, schema.GroupVersion{Version: parts[1]})
	case len(parts) == 2 && parts[0] == "apis":
		s.sendGroup(w, c, parts[1])
	case len(parts) == 3 && parts[0] == "apis":
		s.sendResources(w, c, schema.GroupVersion{Group: parts[1], Version: parts[2]})
	case len(parts) >= 2 && parts[0] == "openapi" && parts[1] == "v3":
		s.serveOpenAPI(w, c)
	default:
		s.fail(w, c, errNotFound)
	}
}

// groups returns all groups except the core group, with their versions in the order of preference.
func (s *Server) groups() []metav1.APIGroup {
	groups := []metav1.APIGroup{}
	for _, res := range s.served() {
		if res.Group == "" {
			continue
		}
		if len(groups) == 0 || groups[len(groups)-1].Name != res.Group {
			groups = append(groups, metav1.APIGroup{Name: res.Group})
		}
		group := &groups[len(groups)-1]
		v := metav1.GroupVersionForDiscovery{GroupVersion: res.apiVersion(), Version: res.Version}
		if !slices.Contains(group.Versions, v) {
			group.Versions = append(group.Versions, v)
		}
	}
	for i := range groups {
		slices.SortFunc(groups[i].Versions, func(a, b metav1.GroupVersionForDiscovery) int {
			return version.CompareKubeAwareVersionStrings(b.Version, a.Version)
		})
		groups[i].PreferredVersion = groups[i].Versions[0]
	}
	return groups
}

func (s *Server) sendGroup(w http.ResponseWriter, c *call, name string) {
	for _, group := range s.groups() {
		if group.Name == name {
			group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			s.sendJSON(w, c, group)
			return
		}
	}
	s.fail(w, c, errNotFound)
}

func (s *Server) sendResources(w http.ResponseWriter, c *call, gv schema.GroupVersion) {
	list := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String(),
	}
	for _, res := range s.served() {
		if res.Group != gv.Group || res.Version != gv.Version {
			continue
		}
		entry := metav1.APIResource{
			Name: res.Resource, SingularName: strings.ToLower(res.Kind), Namespaced: res.Namespaced, Kind: res.Kind,
			Verbs: verbs, ShortNames: res.ShortNames, Categories: res.Categories,
		}
		list.APIResources = append(list.APIResources, entry)
		if res.Status {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: res.Resource + "/" + statusSubresource, Namespaced: res.Namespaced, Kind: res.Kind,
				Verbs: subresourceVerbs,
			})
		}
		if res.hasLog() {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: res.Resource + "/" + logSubresource, Namespaced: res.Namespaced, Kind: res.Kind, Verbs: metav1.Verbs{"get"},
			})
		}
		if res.scalable {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: res.Resource + "/" + scaleSubresource, Namespaced: res.Namespaced,
				Group: scaleKind.Group, Version: scaleKind.Version, Kind: scaleKind.Kind, Verbs: subresourceVerbs,
			})
		}
	}
	if len(list.APIResources) == 0 {
		s.fail(w, c, errNotFound)
		return
	}
	s.sendJSON(w, c, list)
}
