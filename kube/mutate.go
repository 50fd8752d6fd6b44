package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/wire"
)

// Bounds of how often Mutate tries.
const (
	maxConflicts    = 10
	minConflictWait = 10 * time.Millisecond
	maxConflictWait = time.Second
)

// Mutate reads the object with a key, lets change alter it, and writes it; if
// somebody else wrote it meanwhile, it begins again, up to ten times with
// growing pauses. change gets a fresh object each time, and is called on the
// caller's goroutine. If it alters nothing, nothing is written. The result is the
// object as the server has it.
//
// Errors: what change returns, as it is, and then nothing is written;
// *RequestError, for which apierrors.IsConflict holds if it never succeeded.
func (c *Client[T]) Mutate(ctx context.Context, key wire.Key, change func(*T) error) (*T, error) {
	return c.mutate(ctx, key, change, "")
}

func (c *Client[T]) mutate(ctx context.Context, key wire.Key, change func(*T) error, sub string) (*T, error) {
	for n := 1; ; n++ {
		obj, differs, err := c.applyChange(ctx, key, change)
		if err != nil || !differs {
			return obj, err
		}
		written, err := c.update(ctx, obj, sub)
		if !apierrors.IsConflict(err) {
			return written, err
		}
		if n == maxConflicts {
			if failed := (*RequestError)(nil); errors.As(err, &failed) {
				failed.Remedy = fmt.Sprintf("others were faster %d times in a row: who writes it so often?", n)
			}
			return nil, err
		}
		if stopped := sleep(ctx, conflictBackoff(n)); stopped != nil {
			return nil, c.requestError("update", Resource{}, key, stopped)
		}
	}
}

// applyChange reads an object and has it changed; differs says that it was.
func (c *Client[T]) applyChange(ctx context.Context, key wire.Key, change func(*T) error) (obj *T, differs bool, err error) {
	r, key, err := c.base().resolveObject(ctx, "update", key)
	if err != nil {
		return nil, false, err
	}
	if change == nil {
		return nil, false, c.requestError("update", r, key, &IllegalError{Problem: "the function that changes the object is nil"})
	}
	obj, err = c.get(ctx, key, "")
	if err != nil {
		return nil, false, err
	}
	before, _, err := c.encode(obj, r)
	if err != nil {
		return nil, false, c.requestError("update", r, key, err)
	}
	if err := change(obj); err != nil {
		return nil, false, err
	}
	after, _, err := c.encode(obj, r)
	if err != nil {
		return nil, false, c.requestError("update", r, key, err)
	}
	return obj, !bytes.Equal(before, after), nil
}

// conflictBackoff returns how long to wait after the nth conflict: with chance in it,
// so that writers that meet do not meet again.
func conflictBackoff(n int) time.Duration {
	d := min(minConflictWait<<(n-1), maxConflictWait)
	return d/2 + time.Duration(rand.Int64N(int64(d)))
}
