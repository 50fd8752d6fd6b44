package crds

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	batch "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	scheduling "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// volcanoType is a type of Volcano.
type volcanoType struct {
	kind    string
	object  reflect.Type
	version string
	scope   string
}

var volcanoTypes = map[string]volcanoType{
	"jobs.batch.volcano.sh":           {"Job", reflect.TypeFor[batch.Job](), "v1alpha1", "Namespaced"},
	"commands.bus.volcano.sh":         {"Command", reflect.TypeFor[bus.Command](), "v1alpha1", "Namespaced"},
	"podgroups.scheduling.volcano.sh": {"PodGroup", reflect.TypeFor[scheduling.PodGroup](), "v1beta1", "Namespaced"},
	"queues.scheduling.volcano.sh":    {"Queue", reflect.TypeFor[scheduling.Queue](), "v1beta1", "Cluster"},
}

type object = map[string]any

// definition creates the definition of a type from its Go struct.
func (v volcanoType) definition(name string) *unstructured.Unstructured {
	plural, group, _ := strings.Cut(name, ".")
	schema := schemaOf(v.object)
	properties, _ := schema["properties"].(object)
	properties["metadata"] = object{"type": "object"} // the server adds its schema
	version := object{"name": v.version, "served": true, "storage": true, "schema": object{"openAPIV3Schema": schema}}
	if properties["status"] != nil {
		version["subresources"] = object{"status": object{}}
	}
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": name},
		"spec": object{
			"group": group, "scope": v.scope,
			"names":    object{"plural": plural, "singular": strings.ToLower(v.kind), "kind": v.kind, "listKind": v.kind + "List"},
			"versions": []any{version},
		},
	}}
}

// special are the types with a JSON form that differs from their fields.
var special = map[reflect.Type]object{
	reflect.TypeFor[resource.Quantity]():    {"x-kubernetes-int-or-string": true},
	reflect.TypeFor[intstr.IntOrString]():   {"x-kubernetes-int-or-string": true},
	reflect.TypeFor[metav1.Time]():          {"type": "string", "format": "date-time"},
	reflect.TypeFor[metav1.MicroTime]():     {"type": "string", "format": "date-time"},
	reflect.TypeFor[metav1.Duration]():      {"type": "string"},
	reflect.TypeFor[metav1.FieldsV1]():      {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	reflect.TypeFor[runtime.RawExtension](): {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
}

// schemaOf returns the schema of a Go type.
func schemaOf(t reflect.Type) object {
	if s, ok := special[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return object{"type": "string", "format": "byte"}
		}
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		properties := object{}
		addProperties(properties, t)
		return object{"type": "object", "properties": properties}
	}
	return object{"type": "integer"}
}

func addProperties(properties object, t reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous:
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			addProperties(properties, embedded)
		case name != "" && name != "-":
			properties[name] = schemaOf(f.Type)
		}
	}
}
