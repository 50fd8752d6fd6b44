package kube

import (
	"context"

	"github.com/vedette-io/vedette/wire"
)

// StatusClient writes the status subresource of objects. If a type has this subresource,
// Client does not change the status, and StatusClient changes nothing else. Client.Status
// creates it.
type StatusClient[T any] struct{ c *Client[T] }

const statusSub = "status"

// Status returns the client of the status of the objects.
func (c *Client[T]) Status() StatusClient[T] { return StatusClient[T]{c} }

// Update replaces the status of an object with the status of obj, as Client.Update does
// with the rest.
//
// Errors: those of Client.Update; apierrors.IsNotFound also if the type has no status
// subresource.
func (s StatusClient[T]) Update(ctx context.Context, obj *T) (*T, error) {
	return s.c.update(ctx, obj, statusSub)
}

// Mutate changes the status of an object, as Client.Mutate does with the rest.
//
// Errors: those of Client.Mutate.
func (s StatusClient[T]) Mutate(ctx context.Context, key wire.Key, change func(*T) error) (*T, error) {
	return s.c.mutate(ctx, key, change, statusSub)
}

// Patch changes the status of an object. The patch begins at the object, as in {"status":
// {...}}.
//
// Errors: those of Client.Patch.
func (s StatusClient[T]) Patch(ctx context.Context, key wire.Key, p Patch) (*T, error) {
	return s.c.patch(ctx, key, p, statusSub)
}

// Apply applies the status of obj, as Client.Apply does with the rest. The object must
// exist.
//
// Errors: those of Client.Apply.
func (s StatusClient[T]) Apply(ctx context.Context, obj *T, conflicts Conflicts) (*T, error) {
	return s.c.apply(ctx, obj, conflicts, statusSub)
}
