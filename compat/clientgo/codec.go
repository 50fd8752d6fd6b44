package clientgo

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/wire"
)

// codec decodes the objects of one informer, whose type is only known at run time.
type codec struct {
	object  reflect.Type // the struct that the example points to
	kind    schema.GroupVersionKind
	builtIn bool
	listed  func() schema.GroupVersionKind // the kind in a list; for unstructured objects
	stored  atomic.Pointer[reflect.Type]   // the result of a transform, if it is another type
	count   atomic.Uint64                  // objects decoded
}

// newCodec returns the codec for objects like the example.
func newCodec(example runtime.Object) *codec {
	c := &codec{object: reflect.TypeOf(example).Elem(), kind: example.GetObjectKind().GroupVersionKind()}
	if _, dynamic := example.(*unstructured.Unstructured); dynamic || c.metadata() {
		return c
	}
	if kinds, _, err := scheme.Scheme.ObjectKinds(example); err == nil && len(kinds) > 0 {
		c.kind, c.builtIn = kinds[0], true
	}
	return c
}

func (c *codec) dynamic() bool { return c.object == reflect.TypeFor[unstructured.Unstructured]() }

func (c *codec) metadata() bool { return c.object == reflect.TypeFor[metav1.PartialObjectMetadata]() }

// protobuf reports whether the type can be decoded from protobuf.
func (c *codec) protobuf() bool {
	_, ok := reflect.New(c.object).Interface().(interface{ Unmarshal([]byte) error })
	return ok
}

// empty returns a zero object.
func (c *codec) empty() runtime.Object { return reflect.New(c.object).Interface().(runtime.Object) }

// decode returns an object that must not be changed. It may share values with others.
//
// Errors: those of wire.DecodeInto.
func (c *codec) decode(rec wire.Record) (any, error) { return c.decodeWith(wire.DecodeShared, rec) }

// decodePrivate returns an object that belongs to the caller.
//
// Errors: those of wire.DecodeInto.
func (c *codec) decodePrivate(rec wire.Record) (any, error) {
	return c.decodeWith(wire.DecodeInto, rec)
}

func (c *codec) decodeWith(decode func(wire.Record, any) error, rec wire.Record) (any, error) {
	c.count.Add(1)
	if t := c.stored.Load(); t != nil {
		return decodeAs(*t, decode, rec)
	}
	obj := reflect.New(c.object).Interface()
	if err := decode(rec, obj); err != nil {
		return nil, err
	}
	c.name(obj)
	return obj, nil
}

// decodeLike is decode for an object that has much in common with another one, which was
// decoded from the record of. The objects share it.
func (c *codec) decodeLike(rec, of wire.Record, like any) (any, error) {
	t := reflect.PointerTo(c.object)
	stored := c.stored.Load()
	if stored != nil {
		t = *stored
	}
	if reflect.TypeOf(like) != t {
		return c.decode(rec)
	}
	c.count.Add(1)
	obj := reflect.New(t.Elem()).Interface()
	if err := wire.DecodeLike(rec, obj, of, like); err != nil {
		return nil, err
	}
	if stored == nil {
		c.name(obj)
	}
	return obj, nil
}

// name sets the kind of an object as clients of client-go do: metadata has the kind of
// the whole object where the example has one, and unstructured objects always have one.
func (c *codec) name(obj any) {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		if o.GetKind() == "" && c.listed != nil {
			o.SetGroupVersionKind(c.listed())
		}
	case *metav1.PartialObjectMetadata:
		if !c.kind.Empty() {
			o.SetGroupVersionKind(c.kind)
		}
	}
}

// decodeAs decodes the result of a transform.
func decodeAs(t reflect.Type, decode func(wire.Record, any) error, rec wire.Record) (any, error) {
	if t.Kind() != reflect.Pointer {
		v := reflect.New(t)
		err := decode(rec, v.Interface())
		return v.Elem().Interface(), err
	}
	obj := reflect.New(t.Elem()).Interface()
	if err := decode(rec, obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// transform returns a function that stores what f makes of each object.
func (c *codec) transform(f cache.TransformFunc) func(wire.Record) (wire.Record, error) {
	return func(rec wire.Record) (wire.Record, error) {
		obj := reflect.New(c.object).Interface()
		if err := wire.DecodeInto(rec, obj); err != nil {
			return rec, err
		}
		c.name(obj)
		out, err := f(obj)
		if err != nil {
			return rec, fmt.Errorf("transform %s: %w", rec.Key, err)
		}
		if err := c.becomes(out); err != nil {
			return rec, fmt.Errorf("transform %s: %w", rec.Key, err)
		}
		if u, ok := out.(*unstructured.Unstructured); ok { // which encodes itself only if it has a kind
			rec.Encoding = wire.JSON
			rec.Body, err = json.Marshal(u.Object)
			return rec, err
		}
		return informer.Encode(rec, out)
	}
}

// live returns the decoder of an informer that keeps its objects decoded. f may be nil.
// The result of f is kept as it is and may be of any type.
func (c *codec) live(f cache.TransformFunc) func(wire.Record) (any, error) {
	return func(rec wire.Record) (any, error) {
		if f == nil {
			return c.decode(rec)
		}
		obj, err := c.decodePrivate(rec) // f may change it
		if err != nil {
			return nil, err
		}
		if obj, err = f(obj); obj == nil && err == nil {
			err = errNilObject
		}
		return obj, err
	}
}

// errNilObject is the fault of a transform. client-go would call handlers with nil.
var errNilObject = errors.New("the function returned nil")

// becomes records the type of the results of a transform. It is always the same.
func (c *codec) becomes(out any) error {
	t := reflect.TypeOf(out)
	if t == nil {
		return errNilObject
	}
	if t == reflect.PointerTo(c.object) && c.stored.Load() == nil {
		return nil
	}
	if c.stored.CompareAndSwap(nil, &t) {
		return nil
	}
	if before := *c.stored.Load(); before != t {
		return fmt.Errorf("the function returned a %v after a %v; use Options.Storage Live for several types", t, before)
	}
	return nil
}
