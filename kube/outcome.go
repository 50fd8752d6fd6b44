package kube

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/wire"
)

// Outcome is what CreateOrUpdate did.
type Outcome uint8

const (
	// Unchanged: the object existed and needed no change, so nothing was written.
	Unchanged Outcome = iota
	// Created: the object did not exist.
	Created
	// Updated: the object existed and was changed.
	Updated
)

// String returns "unchanged", "created" or "updated".
func (o Outcome) String() string {
	switch o {
	case Unchanged:
		return "unchanged"
	case Created:
		return "created"
	case Updated:
		return "updated"
	default:
		return fmt.Sprintf("Outcome(%d)", uint8(o))
	}
}

// CreateIfAbsent creates an object unless one with its name exists. It returns the object
// as stored on the server, and whether this call created it. An existing object is
// returned as it is, whoever created it; compare its controller or its fields if that
// matters. obj must have a name.
//
// Errors: *RequestError.
func (c *Client[T]) CreateIfAbsent(ctx context.Context, obj *T) (stored *T, created bool, err error) {
	r, meta, err := c.writable(ctx, "create", obj)
	if err != nil {
		return nil, false, err
	}
	key := keyOf(meta)
	if err := checkName(key.Name); err != nil {
		return nil, false, c.requestError("create", r, key, err)
	}
	for n := 1; ; n++ {
		stored, err = c.Create(ctx, obj)
		if !apierrors.IsAlreadyExists(err) {
			return stored, err == nil, err
		}
		taken := err
		if stored, err = c.Get(ctx, key); !apierrors.IsNotFound(err) || n == maxConflicts {
			if apierrors.IsNotFound(err) {
				err = taken
			}
			return stored, false, err
		}
		// The object was deleted in between.
		if stopped := pause.For(ctx, conflictBackoff(n)); stopped != nil {
			return nil, false, c.requestError("create", r, key, stopped)
		}
	}
}

// CreateOrUpdate brings the object with a key to a wanted state. If the object does not
// exist, change gets a new object with only its name and namespace, and CreateOrUpdate
// creates it. If it exists, change gets it as the server has it, and CreateOrUpdate writes
// it if change altered it. change sets the fields that its caller owns, and leaves those of
// others; fields that T lacks stay as they are. If another client writes, creates or deletes the object in between,
// CreateOrUpdate starts over, up to ten times with growing pauses. change gets a new copy
// each time and runs on the caller's goroutine. It must not change the name or the
// namespace. The status is not written if it is a subresource. After an error, outcome has no
// meaning.
//
// Errors: the error of change, unwrapped, without a write; *RequestError, for which
// apierrors.IsConflict or IsAlreadyExists holds after ten conflicts.
func (c *Client[T]) CreateOrUpdate(ctx context.Context, key wire.Key, change func(*T) error) (stored *T, outcome Outcome, err error) {
	for n := 1; ; n++ {
		var raced bool
		stored, outcome, raced, err = c.createOrUpdate(ctx, key, change)
		if !raced || n == maxConflicts {
			return stored, outcome, err
		}
		if stopped := pause.For(ctx, conflictBackoff(n)); stopped != nil {
			return nil, Unchanged, c.requestError("update", Resource{}, key, stopped)
		}
	}
}

// createOrUpdate is one attempt of CreateOrUpdate. raced reports whether it failed because
// of a concurrent write.
func (c *Client[T]) createOrUpdate(ctx context.Context, key wire.Key, change func(*T) error) (stored *T, outcome Outcome, raced bool, err error) {
	r, key, err := c.endpointOrNil().resolveObject(ctx, "update", key)
	if err != nil {
		return nil, Unchanged, false, err
	}
	if change == nil {
		return nil, Unchanged, false, c.requestError("update", r, key, &errcode.Error{Code: errcode.Invalid, Problem: "the function that changes the object is nil"})
	}
	b, err := c.readOriginal(ctx, r, key)
	exists := !apierrors.IsNotFound(err)
	switch {
	case !exists:
		b.object = c.blank(r, key)
	case err != nil:
		return nil, Unchanged, false, err
	}
	obj := b.object
	differs, err := c.alters(r, key, b, obj, change)
	if now := keyOf(c.meta(obj)); err == nil && (now.Namespace != key.Namespace || now.Name != key.Name) {
		err = c.requestError("update", r, key, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the function that changes the object renamed it to %s", now)})
	}
	if err == nil && exists && differs {
		_, _, err = c.updatable(ctx, obj)
	}
	switch {
	case err != nil:
		return nil, Unchanged, false, err
	case !exists:
		stored, err = c.Create(ctx, obj)
		return stored, Created, apierrors.IsAlreadyExists(err), err
	case !differs:
		return obj, Unchanged, false, nil
	default:
		stored, err = c.replace(ctx, r, b, obj, "")
		return stored, Updated, apierrors.IsConflict(err) || apierrors.IsNotFound(err), err
	}
}

// blank returns an object that has only its name, its namespace and its kind.
func (c *Client[T]) blank(r Resource, key wire.Key) *T {
	obj := new(T)
	if u, ok := any(obj).(*unstructured.Unstructured); ok {
		u.Object = map[string]any{}
	}
	meta := c.meta(obj)
	meta.GetObjectKind().SetGroupVersionKind(r.kind())
	meta.SetNamespace(key.Namespace)
	meta.SetName(key.Name)
	return obj
}
