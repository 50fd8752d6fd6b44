package apitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
)

// Object is an object of the server: a typed built-in object, an *unstructured.Unstructured, or a user's Go type of a
// custom resource.
type Object interface {
	metav1.Object
	runtime.Object
}

// message is the protobuf interface of a built-in object.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// resource describes a type and converts between its objects and their stored bytes: protobuf for a built-in type, JSON
// for a custom one. It never changes.
type resource struct {
	Type
	goType     reflect.Type // nil for a custom resource
	generation bool         // whether metadata.generation counts changes of the specification
	scalable   bool         // whether it has the scale subresource
	getters    []getter     // one for each of SelectableFields, in that order
}

func newCustomResource(t Type) *resource {
	res := &resource{Type: t, generation: true}
	for _, path := range t.SelectableFields {
		res.getters = append(res.getters, mapGetter(strings.TrimPrefix(path, ".")))
	}
	return res
}

func compareResources(a, b *resource) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
}

// builtin distinguishes a type of the client-go scheme from a custom resource.
func (r *resource) builtin() bool { return r.goType != nil }

// hasSubresource reports whether the type has a subresource; "" is the object itself.
func (r *resource) hasSubresource(name string) bool {
	switch name {
	case "":
		return true
	case statusSubresource:
		return r.Status
	case scaleSubresource:
		return r.scalable
	case logSubresource:
		return r.hasLog()
	}
	return false
}

// hasLog reports whether objects of the type have a log: only pods do.
func (r *resource) hasLog() bool { return r.Group == "" && r.Kind == "Pod" }

// groupResource is the name of the type in errors.
func (r *resource) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Resource}
}

// apiVersion is the group and version as objects contain them.
func (r *resource) apiVersion() string {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}.String()
}

// newObject returns an empty object of the type; a custom object has its kind.
func (r *resource) newObject() (Object, error) {
	if !r.builtin() {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetGroupVersionKind(r.GroupVersionKind())
		return u, nil
	}
	obj, ok := reflect.New(r.goType).Interface().(Object)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownType, r.GroupVersionKind())
	}
	return obj, nil
}

// encode returns the bytes to store. Those of a built-in object do not contain its kind, as in the lists of a server.
func (r *resource) encode(obj Object) ([]byte, error) {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		return json.Marshal(o.Object)
	case message:
		return o.Marshal()
	}
	return nil, fmt.Errorf("%w: %T", ErrUnknownType, obj)
}

// decode returns a new object, which the caller may change.
func (r *resource) decode(raw []byte) (Object, error) {
	obj, err := r.newObject()
	if err != nil {
		return nil, err
	}
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		return o, utiljson.Unmarshal(raw, &o.Object)
	case message:
		return obj, o.Unmarshal(raw)
	}
	return nil, fmt.Errorf("%w: %T", ErrUnknownType, obj)
}

// toStored returns a private copy of obj in the stored form: the built-in Go type, or Unstructured.
func (r *resource) toStored(obj Object) (Object, error) {
	u, isMap := obj.(*unstructured.Unstructured)
	switch {
	case r.builtin() && isMap:
		typed, err := r.newObject()
		if err != nil {
			return nil, err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
			return nil, fmt.Errorf("convert %s: %w", r.Kind, err)
		}
		typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return typed, nil
	case r.builtin():
		raw, err := r.encode(obj)
		if err != nil {
			return nil, err
		}
		return r.decode(raw)
	case isMap:
		own := u.DeepCopy()
		shape(r.schema, own.Object)
		return own, nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("convert %s: %w", r.Kind, err)
	}
	out := &unstructured.Unstructured{Object: content}
	out.SetGroupVersionKind(r.GroupVersionKind())
	shape(r.schema, out.Object)
	return out, nil
}

// convertTo returns stored bytes in the Go type of like. The caller may change the object.
func (r *resource) convertTo(raw []byte, like Object) (Object, error) {
	obj, err := r.decode(raw)
	if err != nil || reflect.TypeOf(obj) == reflect.TypeOf(like) {
		return obj, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("convert %s: %w", r.Kind, err)
	}
	if _, isMap := like.(*unstructured.Unstructured); isMap {
		u := &unstructured.Unstructured{Object: content}
		u.SetGroupVersionKind(r.GroupVersionKind())
		return u, nil
	}
	out, ok := reflect.New(reflect.TypeOf(like).Elem()).Interface().(Object)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrUnknownType, like)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, out); err != nil {
		return nil, fmt.Errorf("convert %s: %w", r.Kind, err)
	}
	return out, nil
}

// toMap returns stored bytes as a map with the kind.
func (r *resource) toMap(raw []byte) (*unstructured.Unstructured, error) {
	obj, err := r.convertTo(raw, &unstructured.Unstructured{})
	if err != nil {
		return nil, err
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrUnknownType, obj)
	}
	return u, nil
}

// moveStatus moves the status of from into to, both in the stored form.
func (r *resource) moveStatus(to, from Object) {
	if r.builtin() {
		field := reflect.ValueOf(to).Elem().FieldByName("Status")
		if field.IsValid() {
			field.Set(reflect.ValueOf(from).Elem().FieldByName("Status"))
		}
		return
	}
	target, source := to.(*unstructured.Unstructured), from.(*unstructured.Unstructured)
	if status, ok := source.Object["status"]; ok {
		target.Object["status"] = status
	} else {
		delete(target.Object, "status")
	}
}

// sameSpec reports whether two objects are equal except for metadata and, if it is a subresource, status.
func (r *resource) sameSpec(a, b Object) (bool, error) {
	left, err := r.specOf(a)
	if err != nil {
		return false, err
	}
	right, err := r.specOf(b)
	return bytes.Equal(left, right), err
}

func (r *resource) specOf(obj Object) ([]byte, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		rest := map[string]any{}
		for key, value := range u.Object {
			if key != "metadata" && (key != "status" || !r.Status) {
				rest[key] = value
			}
		}
		return json.Marshal(rest)
	}
	rest := reflect.New(r.goType)
	rest.Elem().Set(reflect.ValueOf(obj).Elem())
	for _, name := range []string{"ObjectMeta", "Status"} {
		if field := rest.Elem().FieldByName(name); field.IsValid() {
			field.SetZero()
		}
	}
	return rest.Interface().(message).Marshal()
}

// kindOf returns the kind that an object names, or else the kind of its Go type in the client-go scheme.
func kindOf(obj Object) (schema.GroupVersionKind, error) {
	if obj == nil || reflect.ValueOf(obj).Kind() == reflect.Pointer && reflect.ValueOf(obj).IsNil() {
		return schema.GroupVersionKind{}, errors.New("apitest: the object is nil")
	}
	if gvk := obj.GetObjectKind().GroupVersionKind(); !gvk.Empty() {
		return gvk, nil
	}
	gvks, _, err := scheme.Scheme.ObjectKinds(obj)
	if err != nil || len(gvks) == 0 {
		return schema.GroupVersionKind{}, fmt.Errorf("%w: %T names no kind", ErrUnknownType, obj)
	}
	return gvks[0], nil
}

// partial returns the metadata of a stored custom object.
func partial(raw []byte) (*metav1.PartialObjectMetadata, error) {
	out := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, err
	}
	return meta.AsPartialObjectMetadata(out), nil
}

// Names of the subresources.
const (
	statusSubresource = "status"
	scaleSubresource  = "scale"
)
