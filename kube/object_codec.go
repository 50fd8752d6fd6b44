package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// envelope is the prefix of every object in protobuf.
const envelope = "k8s\x00"

// openEnvelope returns the message in an envelope.
func openEnvelope(body []byte) ([]byte, error) {
	raw, ok := bytes.CutPrefix(body, []byte(envelope))
	var unknown runtime.Unknown
	if !ok || unknown.Unmarshal(raw) != nil {
		return nil, errors.New("the answer is not an object in protobuf")
	}
	return unknown.Raw, nil
}

// decode decodes the object in an answer.
func (c *Client[T]) decode(a response) (*T, error) {
	obj, err := wire.Codec[T]{}.Decode(wire.Record{Encoding: a.encoding, Body: a.body})
	if err != nil {
		return nil, err
	}
	c.setKind(obj, a.resource)
	return obj, nil
}

// decodeRecord decodes the object in a record of a list or a watch.
func (c *Client[T]) decodeRecord(rec wire.Record, r Resource) (*T, error) {
	obj, err := wire.Codec[T]{}.Decode(rec)
	if err != nil {
		return nil, err
	}
	c.setKind(obj, r)
	return obj, nil
}

// setKind sets apiVersion and kind, which are missing in protobuf and in the items of a
// list.
func (c *Client[T]) setKind(obj *T, r Resource) {
	c.meta(obj).GetObjectKind().SetGroupVersionKind(r.kind())
}

// checkInput returns the metadata of an object that a caller passed in, or an error if
// the object cannot be sent.
func (c *Client[T]) checkInput(obj *T, r Resource) (Controllable, error) {
	if obj == nil {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: "the object is nil"}
	}
	meta := c.meta(obj)
	if got := meta.GetObjectKind().GroupVersionKind(); !got.Empty() && got != r.kind() {
		return nil, &errcode.Error{
			Code:    errcode.Invalid,
			Problem: fmt.Sprintf("the object is %v, but the client is for %v", got, r.kind()),
			Remedy:  "leave its apiVersion and kind empty, or use a client of its type",
		}
	}
	if u, ok := any(obj).(*unstructured.Unstructured); ok {
		if _, ok := u.Object["metadata"].(map[string]any); !ok {
			return nil, &errcode.Error{Code: errcode.Invalid, Problem: "the object has no metadata", Remedy: "set metadata.name"}
		}
	}
	return meta, nil
}

// encode returns the encoded object and its media type: protobuf if the Go type and the
// server support it, else JSON.
func (c *Client[T]) encode(obj *T, r Resource) (body []byte, mediaType string, err error) {
	if c.encoding == JSONOnly || c.noProtobuf.Load() {
		body, err = marshalJSON(obj, r.kind())
		return body, wire.MediaTypeJSON, err
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: r.APIVersion(), Kind: r.Kind}}
	if unknown.Raw, err = encodeMessage(obj); err != nil {
		return nil, "", err
	}
	raw, err := unknown.Marshal()
	if err != nil {
		return nil, "", &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the object cannot be encoded: %v", err)}
	}
	return append([]byte(envelope), raw...), wire.MediaTypeProtobuf, nil
}

// encodeMessage encodes an object in protobuf, without an envelope.
func encodeMessage(obj any) ([]byte, error) {
	message, ok := obj.(interface{ Marshal() ([]byte, error) })
	if !ok {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%T has no protobuf encoding", obj)}
	}
	raw, err := message.Marshal()
	if err != nil {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the object cannot be encoded: %v", err)}
	}
	return raw, nil
}

// marshalJSON encodes an object in JSON, with its apiVersion and kind.
func marshalJSON(obj any, gvk schema.GroupVersionKind) ([]byte, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		obj = u.Object
	}
	text, err := json.Marshal(obj)
	if err == nil && (len(text) < 2 || text[0] != '{') {
		err = errors.New("its JSON is not an object")
	}
	if err != nil {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the object cannot be encoded: %v", err)}
	}
	var named struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal(text, &named); err != nil {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the object's apiVersion and kind cannot be read: %v", err)}
	}
	if named.Kind != "" && named.APIVersion != "" {
		return text, nil
	}
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	head := fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q`, apiVersion, kind)
	if len(bytes.TrimSpace(text[1:])) > 1 {
		head = append(head, ',')
	}
	return append(head, text[1:]...), nil
}

// isNil reports whether an interface is nil or holds a nil pointer.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	value := reflect.ValueOf(v)
	return value.Kind() == reflect.Pointer && value.IsNil()
}
