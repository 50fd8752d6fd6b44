package informer

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// storeIdentity describes everything that determines which records an informer holds and
// what they contain, except the clusters and namespaces. Only an informer with the same
// identity reads a snapshot file, and only informers with the same identity share an
// engine.
func (c *Config) storeIdentity(sel *selection) store.Identity {
	shape := store.Identity{
		"resource":       sel.target.String(),
		"label selector": c.LabelSelector,
		"field selector": c.FieldSelector,
		"view":           viewName(sel.target.View()),
		"encoding":       encodingName(sel.encoding),
		"managed fields": "dropped",
		"record limit":   fmt.Sprint(c.Reflector.Wire.MaxRecord),
		"projection":     sel.projection,
	}
	if c.Reflector.Wire.ManagedFields == wire.KeepManagedFields {
		shape["managed fields"] = "kept"
	}
	if c.Transform != nil {
		shape["transform version"] = c.TransformVersion
	}
	return shape
}

// viewName returns the name of a view in an identity. Snapshot files contain these names,
// so they do not change, and no two views have the same name.
func viewName(v kube.View) string {
	switch v {
	case kube.Full:
		return "full objects"
	case kube.Metadata:
		return "metadata"
	}
	return fmt.Sprintf("view %d", uint8(v))
}

// encodingName returns the name of an encoding in an identity. Snapshot files contain
// these names, so they do not change, and no two encodings have the same name.
func encodingName(e kube.Encoding) string {
	switch e {
	case kube.PreferProtobuf:
		return "protobuf"
	case kube.PreferCBOR:
		return "CBOR"
	case kube.JSONOnly:
		return "JSON"
	}
	return fmt.Sprintf("encoding %d", uint8(e))
}

// layoutOf describes the JSON fields of a type. Two types with the same layout can read
// each other's output.
func layoutOf[S any]() string {
	var b strings.Builder
	layout(&b, reflect.TypeFor[S](), map[reflect.Type]bool{})
	return b.String()
}

var ownCoders = []reflect.Type{
	reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler](),
	reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextUnmarshaler](),
}

func layout(b *strings.Builder, t reflect.Type, outer map[reflect.Type]bool) {
	for _, own := range ownCoders { // the name of the type identifies its output
		if t.Implements(own) || reflect.PointerTo(t).Implements(own) {
			fmt.Fprintf(b, "%s.%s", t.PkgPath(), t.Name())
			return
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		layout(b, t.Elem(), outer)
	case reflect.Slice, reflect.Array:
		b.WriteString("[]")
		layout(b, t.Elem(), outer)
	case reflect.Map:
		fmt.Fprintf(b, "map[%v]", t.Key().Kind())
		layout(b, t.Elem(), outer)
	case reflect.Struct:
		if outer[t] {
			b.WriteString(t.Name()) // the type contains itself
			return
		}
		outer[t] = true
		defer delete(outer, t)
		structLayout(b, t, outer)
	default:
		b.WriteString(t.Kind().String())
	}
}

func structLayout(b *strings.Builder, t reflect.Type, outer map[reflect.Type]bool) {
	b.WriteByte('{')
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" && !f.Anonymous {
			name = f.Name
		}
		if slices.Contains(strings.Split(options, ","), "string") {
			name += ",string"
		}
		fmt.Fprintf(b, "%s ", name)
		layout(b, f.Type, outer)
		b.WriteByte(';')
	}
	b.WriteByte('}')
}
