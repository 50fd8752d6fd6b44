package kube

import (
	"context"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// Update changes an object into obj, and returns it as stored on the server. obj must have
// the resourceVersion that was read; a later write by another client is a conflict. If the
// status is a subresource, Update does not change it. Fields that T lacks stay as they are on
// the server: Update reads the object first, and sends what it read with the differences.
// Mutate needs no more requests, and retries after a conflict.
//
// Errors: *RequestError; apierrors.IsConflict, apierrors.IsNotFound; errcode.Invalid for a
// partial object, whose missing fields would be erased (MarkPartial).
func (c *Client[T]) Update(ctx context.Context, obj *T) (*T, error) { return c.update(ctx, obj, "") }

func (c *Client[T]) update(ctx context.Context, obj *T, sub string) (*T, error) {
	r, key, err := c.updatable(ctx, obj)
	if err != nil {
		return nil, err
	}
	meta := c.meta(obj)
	if holdsAll(obj) && !IsPartial(meta) {
		return c.replace(ctx, r, original[T]{}, obj, sub)
	}
	b, err := c.readOriginal(ctx, r, key)
	if IsPartial(meta) {
		return nil, c.requestError("update", r, key, partialError(b.object, obj))
	}
	if err != nil {
		return nil, err
	}
	if c.meta(b.object).GetResourceVersion() != meta.GetResourceVersion() {
		return nil, c.requestError("update", r, key, conflict(r, key))
	}
	return c.replace(ctx, r, b, obj, sub)
}

// updatable checks the requirements for updating an object, and returns its key.
func (c *Client[T]) updatable(ctx context.Context, obj *T) (Resource, wire.Key, error) {
	r, meta, err := c.writable(ctx, "update", obj)
	if err != nil {
		return r, wire.Key{}, err
	}
	key := keyOf(meta)
	if err = checkName(key.Name); err == nil {
		err = c.checkScope(r, key)
	}
	if err == nil && meta.GetResourceVersion() == "" {
		err = &errcode.Error{
			Code:    errcode.Invalid,
			Problem: "the object has no resourceVersion, so the update could overwrite the changes of others",
			Remedy:  "change an object that was read, or use Mutate, Patch or Apply",
		}
	}
	if err != nil {
		return r, key, c.requestError("update", r, key, err)
	}
	return r, key, nil
}
