package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// lens is how objects of one type are looked at: what of them is kept, and what they
// are doing. What is not kept is not looked at either, so that it comes into no column.
type lens struct {
	of      func(map[string]any) state.Status
	head    []byte // what every body begins with
	left    []fieldPath
	cut     *wire.Cut // left
	lighten *wire.Cut // what of needs no more; nil: it needs all
	hides   bool      // something is left out that nobody else may see
}

// fieldPath names a field: "spec", "template", …
type fieldPath []string

// versions are what differs in each revision.
var versions = []fieldPath{{"metadata", "resourceVersion"}, {"metadata", "managedFields"}}

// secrets are the data of Secrets, which are never kept.
var secrets = []fieldPath{{"data"}, {"stringData"}, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}}

// names of the type: not every list has them in its items.
var names = []fieldPath{{"apiVersion"}, {"kind"}}

// newLens returns the lens of a type. of may be nil, and is state.Of then.
func newLens(r kube.Resource, of func(map[string]any) state.Status, redact []fieldPath) lens {
	l := lens{of: of, head: fmt.Appendf(nil, "{\"apiVersion\":%q,\"kind\":%q", r.APIVersion(), r.Kind), left: slices.Concat(versions, names, redact), hides: len(redact) > 0}
	if of == nil {
		l.of, l.lighten = state.Of, wire.NewCut([]string{"spec", "*"})
	}
	if r.Group == "" && r.Name == "secrets" {
		l.left, l.hides = append(l.left, secrets...), true
	}
	l.cut = wire.NewCut(paths(l.left)...)
	return l
}

func paths(of []fieldPath) (paths [][]string) {
	for _, p := range of {
		paths = append(paths, p)
	}
	return paths
}

// body returns what is kept of an object: as the server has written it, without what
// is left out, with its type at the beginning. So the same content is the same
// bytes, by whichever way it came.
func (l *lens) body(rec *wire.Record) ([]byte, error) {
	body := append(make([]byte, 0, len(l.head)+len(rec.Body)), l.head...)
	body, err := l.cut.Append(body, rec.Body)
	if err != nil {
		return l.decoded(rec)
	}
	if rest := body[len(l.head):]; len(rest) > len("{}") {
		rest[0] = ','
		return body, nil
	}
	return append(body[:len(l.head)], '}'), nil
}

// decoded is body for objects that nest very deep.
func (l *lens) decoded(rec *wire.Record) ([]byte, error) {
	obj, err := wire.Codec[unstructured.Unstructured]{}.Decode(*rec)
	if err != nil {
		return nil, err
	}
	for _, p := range l.left {
		p.cut(obj.Object)
	}
	text, err := json.Marshal(obj.Object)
	if err != nil || len(text) == len("{}") {
		return append(slices.Clip(l.head), '}'), err
	}
	text[0] = ','
	return append(slices.Clip(l.head), text...), nil
}

// cut takes a field out, in all elements of the arrays on the way.
func (p fieldPath) cut(v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(p) == 1 {
			delete(v, p[0])
		} else if len(p) > 1 {
			p[1:].cut(v[p[0]])
		}
	case []any:
		for _, item := range v {
			p.cut(item)
		}
	}
}

// lighter are buffers for bodies without what is not looked at.
var lighter = sync.Pool{New: func() any { return new([]byte) }}

// decode decodes a body, as far as is needed.
func (l *lens) decode(rec *wire.Record, body []byte) (*unstructured.Unstructured, error) {
	r := wire.Record{Key: rec.Key, Version: rec.Version, Encoding: wire.JSON, Body: body}
	if l.lighten != nil {
		buf := lighter.Get().(*[]byte)
		defer lighter.Put(buf)
		if light, err := l.lighten.Append((*buf)[:0], body); err == nil {
			*buf, r.Body = light, light
		}
	}
	return wire.Codec[unstructured.Unstructured]{}.Decode(r)
}
