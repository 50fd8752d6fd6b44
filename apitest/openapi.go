package apitest

import (
	"net/http"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The documents of OpenAPI have the paths of objects and the parameters of a patch, but no schemas. From them, kubectl
// learns that the server validates the fields of objects.

// openAPIRoot is the path of the index of documents.
const openAPIRoot = "/openapi/v3"

// document is a JSON object.
type document = map[string]any

// serveOpenAPI answers with the index, or with the document of a group and version.
func (s *Server) serveOpenAPI(w http.ResponseWriter, c *call) {
	at := strings.Trim(strings.TrimPrefix(path.Clean(c.Path), openAPIRoot), "/")
	if at == "" {
		paths := document{}
		for _, res := range s.served() {
			name := groupPath(res)
			paths[name] = document{"serverRelativeURL": openAPIRoot + "/" + name}
		}
		s.sendJSON(w, c, document{"paths": paths})
		return
	}
	paths := document{}
	for _, res := range s.served() {
		if groupPath(res) == at {
			paths[objectPath(res)] = document{"patch": document{
				"parameters":                      patchParameters,
				"responses":                       document{"200": document{"description": "OK"}},
				"x-kubernetes-group-version-kind": kindDocument(res.GroupVersionKind()),
			}}
		}
	}
	if len(paths) == 0 {
		s.fail(w, c, errNotFound)
		return
	}
	s.sendJSON(w, c, document{
		"openapi": "3.0.0", "info": document{"title": "apitest", "version": s.cfg.Release}, "paths": paths,
	})
}

// patchParameters are the parameters of a patch.
var patchParameters = func() (all []document) {
	for _, name := range []string{"dryRun", "fieldManager", "fieldValidation", "force"} {
		kind := "string"
		if name == "force" {
			kind = "boolean"
		}
		all = append(all, document{"name": name, "in": "query", "schema": document{"type": kind}})
	}
	return all
}()

func kindDocument(gvk schema.GroupVersionKind) document {
	return document{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}
}

// groupPath returns the path of a group and version, such as "apis/apps/v1".
func groupPath(res *resource) string {
	if res.Group == "" {
		return "api/" + res.Version
	}
	return "apis/" + res.apiVersion()
}

// objectPath returns the path of the objects of a type.
func objectPath(res *resource) string {
	namespace := ""
	if res.Namespaced {
		namespace = "/namespaces/{namespace}"
	}
	return "/" + groupPath(res) + namespace + "/" + res.Resource + "/{name}"
}
