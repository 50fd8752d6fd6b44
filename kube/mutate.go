package kube

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/wire"
)

// These constants bound the retries of Mutate.
const (
	maxConflicts    = 10
	minConflictWait = 10 * time.Millisecond
	maxConflictWait = time.Second
)

// Mutate reads the object with a key, calls change on it, and writes it. If another
// client has written the object in between, Mutate starts over, up to ten times with
// growing pauses. change gets a new copy of the object each time and runs on the caller's
// goroutine. If change alters nothing, Mutate writes nothing. Fields that T lacks stay as
// they are on the server. It returns the object as stored on the server.
//
// Errors: the error of change, unwrapped, without a write; *RequestError, for which
// apierrors.IsConflict holds after ten conflicts.
func (c *Client[T]) Mutate(ctx context.Context, key wire.Key, change func(*T) error) (*T, error) {
	return c.mutate(ctx, key, change, "")
}

func (c *Client[T]) mutate(ctx context.Context, key wire.Key, change func(*T) error, sub string) (*T, error) {
	for n := 1; ; n++ {
		written, raced, err := c.mutateOnce(ctx, key, change, sub)
		if !raced {
			return written, err
		}
		if n == maxConflicts {
			if failed := (*RequestError)(nil); errors.As(err, &failed) {
				failed.Remedy = fmt.Sprintf("%d conflicts in a row: find the client that writes this object so often", n)
			}
			return nil, err
		}
		if stopped := pause.For(ctx, conflictBackoff(n)); stopped != nil {
			return nil, c.requestError("update", Resource{}, key, stopped)
		}
	}
}

// mutateOnce is one attempt of Mutate. raced reports whether another client wrote first.
func (c *Client[T]) mutateOnce(ctx context.Context, key wire.Key, change func(*T) error, sub string) (obj *T, raced bool, err error) {
	r, key, err := c.endpointOrNil().resolveObject(ctx, "update", key)
	if err != nil {
		return nil, false, err
	}
	if change == nil {
		return nil, false, c.requestError("update", r, key, &errcode.Error{Code: errcode.Invalid, Problem: "the function that changes the object is nil"})
	}
	b, err := c.readOriginal(ctx, r, key)
	if err != nil {
		return nil, false, err
	}
	differs, err := c.alters(r, key, b, b.object, change)
	if err != nil {
		return nil, false, err
	}
	if !differs {
		return b.object, false, nil
	}
	if _, _, err := c.updatable(ctx, b.object); err != nil {
		return nil, false, err
	}
	obj, err = c.replace(ctx, r, b, b.object, sub)
	return obj, apierrors.IsConflict(err), err
}

// alters calls change on an object, and reports whether it differs from the original then.
//
// Errors: the error of change; *RequestError if the object cannot be encoded.
func (c *Client[T]) alters(r Resource, key wire.Key, b original[T], obj *T, change func(*T) error) (bool, error) {
	if err := change(obj); err != nil {
		return false, err
	}
	differs, err := c.differs(b, obj, r)
	if err != nil {
		return false, c.requestError("update", r, key, err)
	}
	return differs, nil
}

// conflictBackoff returns the wait after the nth conflict. It is random, so that two
// conflicting writers do not collide again.
func conflictBackoff(n int) time.Duration {
	d := min(minConflictWait<<(n-1), maxConflictWait)
	return d/2 + time.Duration(rand.Int64N(int64(d)))
}
