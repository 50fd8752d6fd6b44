package kube

import (
	"context"
	"net/http"

	"github.com/vedette-io/vedette/wire"
)

// Get returns the object with a key, in its current state on the server. It ignores the
// cluster of the key.
//
// Errors: *RequestError; apierrors.IsNotFound if the object does not exist.
func (c *Client[T]) Get(ctx context.Context, key wire.Key) (*T, error) {
	return c.get(ctx, key, "")
}

func (c *Client[T]) get(ctx context.Context, key wire.Key, sub string) (*T, error) {
	r, key, err := c.endpointOrNil().resolveObject(ctx, "get", key)
	if err != nil {
		return nil, err
	}
	a, err := c.send(ctx, r, call{verb: "get", method: http.MethodGet, key: key, sub: sub, accept: c.accept()})
	if err != nil {
		return nil, err
	}
	obj, err := c.decode(a)
	if err != nil {
		return nil, c.requestError("get", r, key, err)
	}
	return obj, nil
}

// resolveObject returns the resource and the normalized key for a request that concerns
// one object.
func (e *endpoint) resolveObject(ctx context.Context, verb string, key wire.Key) (Resource, wire.Key, error) {
	key.Cluster = ""
	r, err := e.resource(ctx, verb)
	if err != nil {
		return r, key, err
	}
	if err := checkName(key.Name); err != nil {
		return r, key, e.requestError(verb, r, key, err)
	}
	if err := e.checkScope(r, key); err != nil {
		return r, key, e.requestError(verb, r, key, err)
	}
	return r, key, nil
}

// partialObject is the suffix of a media type that requests only metadata.
const partialObject = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// accept returns the Accept header for one object: the encodings that can be decoded,
// best first.
func (e *endpoint) accept() string {
	as := ""
	if e.target.view == Metadata {
		as = partialObject
	}
	if e.encoding == JSONOnly {
		return wire.MediaTypeJSON + as
	}
	return wire.MediaTypeProtobuf + as + "," + wire.MediaTypeJSON + as
}
