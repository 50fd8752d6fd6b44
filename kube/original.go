package kube

import (
	"bytes"
	"context"
	"net/http"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/jsonchange"
	"github.com/vedette-io/vedette/wire"
)

// original is the state of an object on the server that a write starts from. The server may have
// fields that T lacks, for example if its version of the type is newer, so a write is the
// difference of two T applied to its bytes.
type original[T any] struct {
	object *T
	// raw is the object as the server sent it, in JSON; nil if T lacks nothing of it.
	raw []byte
	// before is object, encoded.
	before []byte
}

// readOriginal reads an object in order to change it. A read in protobuf is repeated in JSON if T
// does not have all its fields, because only JSON names the fields that T lacks.
func (c *Client[T]) readOriginal(ctx context.Context, r Resource, key wire.Key) (b original[T], err error) {
	accept := c.accept()
	if c.lacksFields.Load() {
		accept = wire.MediaTypeJSON
	}
	a, err := c.send(ctx, r, call{verb: "get", method: http.MethodGet, key: key, accept: accept})
	if err != nil {
		return b, err
	}
	if b.object, err = c.decode(a); err != nil {
		return b, c.requestError("get", r, key, err)
	}
	if a.encoding == wire.Protobuf {
		message, err := encodeMessage(b.object)
		if err != nil {
			return b, c.requestError("get", r, key, err)
		}
		if !bytes.Equal(message, a.body) {
			c.lacksFields.Store(true)
			return c.readOriginal(ctx, r, key)
		}
	} else if !holdsAll(b.object) {
		b.raw = a.body
	}
	if b.before, err = c.encodeAs(b, b.object, r); err != nil {
		return b, c.requestError("get", r, key, err)
	}
	return b, nil
}

// holdsAll reports whether a Go object has every field of the JSON that it was decoded from.
func holdsAll(obj any) bool {
	_, ok := obj.(*unstructured.Unstructured)
	return ok
}

// encodeAs encodes an object for the comparison with the original.
func (c *Client[T]) encodeAs(b original[T], obj *T, r Resource) ([]byte, error) {
	if b.raw == nil {
		body, _, err := c.encode(obj, r)
		return body, err
	}
	return marshalJSON(obj, r.kind())
}

// differs reports whether an object differs from the original.
func (c *Client[T]) differs(b original[T], obj *T, r Resource) (bool, error) {
	after, err := c.encodeAs(b, obj, r)
	return !bytes.Equal(b.before, after), err
}

// replace sends the original with the changes that make it obj. The server refuses it
// unless obj has the version that the server has.
func (c *Client[T]) replace(ctx context.Context, r Resource, b original[T], obj *T, sub string) (*T, error) {
	key := keyOf(c.meta(obj))
	to := call{verb: "update", method: http.MethodPut, key: key, sub: sub}
	if b.raw == nil {
		return c.sendObject(ctx, r, obj, to, key)
	}
	after, err := marshalJSON(obj, r.kind())
	if err != nil {
		return nil, c.requestError("update", r, key, err)
	}
	change, err := jsonchange.Between(b.before, after, reflect.TypeFor[T]())
	if err != nil {
		return nil, c.requestError("update", r, key, err)
	}
	if to.body, err = change.Merged(b.raw); err != nil {
		return nil, c.requestError("update", r, key, err)
	}
	to.contentType, to.query, to.accept = wire.MediaTypeJSON, c.writeQuery(), c.accept()
	a, err := c.send(ctx, r, to)
	if err != nil {
		return nil, err
	}
	return c.decodeWritten(ctx, a, to.verb, key)
}
