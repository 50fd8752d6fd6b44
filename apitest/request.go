package apitest

import (
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Verb is the verb of a request, as Kubernetes names it.
type Verb string

// The verbs of requests for resources. Other requests, such as discovery, have VerbOther.
const (
	VerbGet              Verb = "get"
	VerbList             Verb = "list"
	VerbWatch            Verb = "watch"
	VerbCreate           Verb = "create"
	VerbUpdate           Verb = "update"
	VerbPatch            Verb = "patch"
	VerbDelete           Verb = "delete"
	VerbDeleteCollection Verb = "deletecollection"
	VerbOther            Verb = "other"
)

// Request is one parsed request.
type Request struct {
	// Time is when the request arrived.
	Time time.Time
	// Verb is the verb of the request.
	Verb Verb
	// Resource is the type; it is empty for VerbOther.
	Resource schema.GroupVersionResource
	// Subresource is "status" or another part of the path after the name.
	Subresource string
	// Namespace is the namespace in the path; empty for all namespaces and for cluster-scoped types.
	Namespace string
	// Name is the name of the object; empty for a collection, and for the creation of an object.
	Name string
	// Options are the query parameters of a list or a watch.
	Options metav1.ListOptions
	// Accept is the header with the encodings that the client accepts.
	Accept string
	// User is the authenticated user, or the user whom the sender impersonates; "anonymous" if the server has no
	// tokens.
	User string
	// Groups are the groups that the sender impersonates, or the groups of a SubjectAccessReview.
	Groups []string
	// Path is the whole path, without the query.
	Path string
}

// Streaming reports whether the request is a streaming list: a watch that requests the initial objects.
func (r Request) Streaming() bool {
	return r.Verb == VerbWatch && r.Options.SendInitialEvents != nil && *r.Options.SendInitialEvents
}

// parsePath splits /api/v1/... and /apis/GROUP/VERSION/... into a resource and the rest; ok is false for any other
// path.
func parsePath(path string) (r Request, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		r.Resource.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		r.Resource.Group, r.Resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return r, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !namespaceSubresource(parts) {
		r.Namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 3 {
		return r, false
	}
	parts = append(parts, "", "")
	r.Resource.Resource, r.Name, r.Subresource = parts[0], parts[1], parts[2]
	return r, true
}

// namespaceSubresource distinguishes /namespaces/NAME/status from /namespaces/NAME/pods.
func namespaceSubresource(parts []string) bool {
	return len(parts) == 3 && (parts[2] == "status" || parts[2] == "finalize")
}

// verbOf returns the verb of a method on a path; ok is false if the method is not allowed.
func verbOf(method, name string, watching bool) (verb Verb, ok bool) {
	switch {
	case method == http.MethodGet && name == "" && watching:
		return VerbWatch, true
	case method == http.MethodGet && name == "":
		return VerbList, true
	case method == http.MethodGet:
		return VerbGet, true
	case method == http.MethodPost && name == "":
		return VerbCreate, true
	case method == http.MethodPut && name != "":
		return VerbUpdate, true
	case method == http.MethodPatch && name != "":
		return VerbPatch, true
	case method == http.MethodDelete && name == "":
		return VerbDeleteCollection, true
	case method == http.MethodDelete:
		return VerbDelete, true
	}
	return VerbOther, false
}
