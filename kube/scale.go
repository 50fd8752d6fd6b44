package kube

import (
	"context"
	"fmt"
	"net/http"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

const scaleSub = "scale"

// scaleAccept is JSON, because custom resources have the subresource only in JSON.
const scaleAccept = wire.MediaTypeJSON

// Scale returns the desired and actual number of replicas of an object whose type has the
// scale subresource.
//
// Errors: *RequestError; apierrors.IsNotFound also if the type has no scale subresource.
func (c *Client[T]) Scale(ctx context.Context, key wire.Key) (*autoscalingv1.Scale, error) {
	r, key, err := c.endpointOrNil().resolveObject(ctx, "get", key)
	if err != nil {
		return nil, err
	}
	a, err := c.send(ctx, r, call{verb: "get", method: http.MethodGet, key: key, sub: scaleSub, accept: scaleAccept})
	if err != nil {
		return nil, err
	}
	return c.scaleIn(a, "get", key)
}

// SetScale sets the desired number of replicas of an object, whatever its previous value,
// and returns the scale.
//
// Errors: those of Scale; *RequestError with errcode.Invalid for a negative number.
func (c *Client[T]) SetScale(ctx context.Context, key wire.Key, replicas int32) (*autoscalingv1.Scale, error) {
	const verb = "patch"
	r, key, err := c.endpointOrNil().resolveObject(ctx, verb, key)
	if err != nil {
		return nil, err
	}
	if replicas < 0 {
		return nil, c.requestError(verb, r, key, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("an object cannot have %d replicas", replicas)})
	}
	a, err := c.send(ctx, r, call{
		verb: verb, method: http.MethodPatch, key: key, sub: scaleSub, query: c.writeQuery(),
		body:        fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas),
		contentType: string(types.MergePatchType), accept: scaleAccept,
	})
	if err != nil {
		return nil, err
	}
	scale, err := c.scaleIn(a, verb, key)
	if err != nil {
		return nil, err
	}
	c.reportObject(ctx, r, scale, nil) // its metadata is that of the object
	return scale, nil
}

func (e *endpoint) scaleIn(a response, verb string, key wire.Key) (*autoscalingv1.Scale, error) {
	scale, err := wire.Codec[autoscalingv1.Scale]{}.Decode(wire.Record{Encoding: a.encoding, Body: a.body})
	if err != nil {
		return nil, e.requestError(verb, a.resource, key, err)
	}
	return scale, nil
}
