package kube

import (
	"context"
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// Create creates an object and returns it as stored on the server. The object must have a
// name or a generateName, a namespace if its type is namespaced, and no resourceVersion.
//
// Errors: *RequestError; apierrors.IsAlreadyExists if the name is taken.
func (c *Client[T]) Create(ctx context.Context, obj *T) (*T, error) {
	r, meta, err := c.writable(ctx, "create", obj)
	if err != nil {
		return nil, err
	}
	key := keyOf(meta)
	switch {
	case key.Name == "" && meta.GetGenerateName() == "":
		err = checkName("")
	case key.Name != "":
		err = checkName(key.Name)
	}
	if err == nil && meta.GetResourceVersion() != "" {
		err = &errcode.Error{Code: errcode.Invalid, Problem: "the object has a resourceVersion, so it exists", Remedy: "clear it to create a copy, or use Update"}
	}
	if err == nil {
		err = c.checkScope(r, key)
	}
	if err != nil {
		return nil, c.requestError("create", r, key, err)
	}
	// The name is in the object, and not in the path.
	return c.sendObject(ctx, r, obj, call{verb: "create", method: http.MethodPost, key: wire.Key{Namespace: key.Namespace}}, key)
}

// writable checks the requirements for writing whole objects.
func (c *Client[T]) writable(ctx context.Context, verb string, obj *T) (Resource, Controllable, error) {
	r, err := c.endpointOrNil().resource(ctx, verb)
	if err != nil {
		return r, nil, err
	}
	if c.target.view == Metadata {
		return r, nil, c.requestError(verb, r, wire.Key{}, &errcode.Error{
			Code:    errcode.Invalid,
			Problem: "a client for metadata cannot write whole objects", Remedy: "use Patch, or a client of the full type",
		})
	}
	meta, err := c.checkInput(obj, r)
	if err != nil {
		return r, nil, c.requestError(verb, r, wire.Key{}, err)
	}
	return r, meta, nil
}

// sendObject sends an object and returns the object in the answer. If the server does not
// accept protobuf, the client uses JSON from then on.
func (c *Client[T]) sendObject(ctx context.Context, r Resource, obj *T, to call, key wire.Key) (*T, error) {
	to.query, to.accept = c.writeQuery(), c.accept()
	for {
		var err error
		if to.body, to.contentType, err = c.encode(obj, r); err != nil {
			return nil, c.requestError(to.verb, r, key, err)
		}
		a, err := c.send(ctx, r, to)
		if apierrors.IsUnsupportedMediaType(err) && to.contentType == wire.MediaTypeProtobuf {
			c.noProtobuf.Store(true)
			continue
		}
		if err != nil {
			return nil, withKey(err, key)
		}
		return c.decodeWritten(ctx, a, to.verb, key)
	}
}

// decodeWritten decodes and reports the answer of a server to a write.
func (c *Client[T]) decodeWritten(ctx context.Context, a response, verb string, key wire.Key) (*T, error) {
	obj, err := c.decode(a)
	if err != nil {
		return nil, c.requestError(verb, a.resource, key, err)
	}
	c.reportObject(ctx, a.resource, c.meta(obj), fieldReader[T](a))
	return obj, nil
}

// writeQuery returns the parameters of all writes.
func (e *endpoint) writeQuery() url.Values {
	q := url.Values{}
	if e.cfg.Writes == DryRun {
		q.Set("dryRun", metav1.DryRunAll)
	}
	if e.cfg.FieldManager != "" {
		q.Set("fieldManager", e.cfg.FieldManager)
	}
	switch e.cfg.Validation {
	case RejectUnknown:
		q.Set("fieldValidation", metav1.FieldValidationStrict)
	case DropUnknown:
		q.Set("fieldValidation", metav1.FieldValidationIgnore)
	}
	return q
}

// withKey adds the key to an error of a creation, whose URL path has no name.
func withKey(err error, key wire.Key) error {
	if failed, ok := err.(*RequestError); ok && key.Name != "" {
		failed.Key = key
	}
	return err
}

// keyOf returns the key of an object.
func keyOf(meta metav1.Object) wire.Key {
	return wire.Key{Namespace: meta.GetNamespace(), Name: meta.GetName()}
}
