package informer

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// IndexField adds an index over a field that is read from the encoded bytes, without
// decoding the object. The path has JSON syntax: "spec.nodeName",
// "metadata.labels['app']", "metadata.ownerReferences[*].uid"; see wire.FieldOf. The
// empty string is a value: Len(s, "") of an index over "spec.nodeName" counts the pods
// without a node. A nil pointer and an absent key of a map have no value. A second call
// with the same path returns the same index. In all other respects IndexField is like
// IndexBy.
//
// Errors: a path that cannot be parsed, or that T does not have.
func IndexField[T any](i *Informer[T], path string) (*Index[T], error) {
	field, err := wire.FieldOf[T](path)
	if err != nil {
		return nil, err
	}
	e := i.engine
	e.indexing.Lock()
	defer e.indexing.Unlock()
	name := field.Path().String()
	index := e.fields[name]
	if index == nil {
		index = e.store.AddIndex(func(dst []string, rec *wire.Record, _ any) []string {
			return field.Append(dst, *rec)
		})
		e.fields[name] = index
	}
	return &Index[T]{i, index}, nil
}

// FieldIs chooses the objects of type T whose field has one of the given values. It reads
// the field from the encoded bytes; see IndexField for the path.
//
// Errors: a path that cannot be parsed, or that T does not have.
func FieldIs[T any](path string, values ...string) (Filter, error) {
	field, err := wire.FieldOf[T](path)
	if err != nil {
		return Filter{}, err
	}
	return Filter{object: func(e store.Entry) bool {
		found := false
		field.Each(e.Record(), func(value []byte) bool {
			found = slices.Contains(values, string(value))
			return !found
		})
		return found
	}}, nil
}

// FieldChanged chooses the updates that change a field of objects of type T; see
// FieldIs.
//
// Errors: a path that cannot be parsed, or that T does not have.
func FieldChanged[T any](path string) (Filter, error) {
	field, err := wire.FieldOf[T](path)
	if err != nil {
		return Filter{}, err
	}
	return Filter{update: func(old, now store.Entry) bool {
		return !slices.Equal(field.Append(nil, old.Record()), field.Append(nil, now.Record()))
	}}, nil
}

// GenerationChanged chooses updates that change metadata.generation, which the server
// raises with every change of the spec. For types without
// a generation, which have the value 0, all updates pass.
func GenerationChanged() Filter {
	// All types have the field at the same path, so any type will do.
	field, err := wire.FieldOf[metav1.PartialObjectMetadata]("metadata.generation")
	if err != nil {
		return Filter{}
	}
	return Filter{update: func(old, now store.Entry) bool {
		was, is := field.Append(nil, old.Record()), field.Append(nil, now.Record())
		return len(was) == 0 || was[0] == "0" || !slices.Equal(was, is)
	}}
}
