package kube

import (
	"context"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// Bounds of how a watch goes on that was cut.
const (
	maxResumes  = 10 // in a row without anything heard between
	firstResume = 200 * time.Millisecond
	lastResume  = 10 * time.Second
	shortWatch  = time.Second
	usefulBrief = 4 // most short watches with events that count for the backoff
)

// Event is one change of an object.
type Event[T any] struct {
	// Type is wire.Added, wire.Modified or wire.Deleted.
	Type wire.EventType
	// Object is the new state, of a deletion the last one. It is never nil.
	Object *T
	// Version is that of the change: where a later Watch goes on.
	Version wire.Version
}

// Watch returns the changes of the selected objects after the version from, in order,
// as the loop asks for them. If from is zero, it begins with an Added event for each
// current object, as List returns them.
//
// If the server ends the watch, or the connection breaks, Watch resumes at the last
// version. It waits briefly first if the watch was short or brought nothing. Use Watch
// to wait for something to happen, or to follow a few objects. It keeps no state: for a
// local copy of a type that survives every fault, use package informer.
//
// Errors: one error ends the sequence: a *RequestError. apierrors.IsResourceExpired or
// IsGone holds if the server no longer has the changes after from: watch again from
// zero. If ctx ends, the error is its cause. After ten consecutive failed attempts, the
// error is that of the last attempt.
func (c *Client[T]) Watch(ctx context.Context, where Where, from wire.Version) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		if err := c.watch(ctx, where, from, func(ev Event[T]) bool { return yield(ev, nil) }); err != nil && err != errEnough {
			yield(Event[T]{}, err)
		}
	}
}

// watch hands every event to each until it returns false, and goes on where it
// is cut.
func (c *Client[T]) watch(ctx context.Context, where Where, from wire.Version, each func(Event[T]) bool) error {
	r, coll, err := c.base().collection(ctx, "watch", where)
	if err != nil {
		return err
	}
	if from == 0 {
		if from, err = c.present(ctx, where, each); err != nil {
			return err
		}
	}
	brief := 0 // consecutive watches that ended early
	for failures := 0; ; {
		began, heard := time.Now(), from
		err := c.follow(ctx, coll, &from, each)
		switch {
		case err == errEnough:
			return err
		case ctx.Err() != nil:
			return c.failed("watch", r, wire.Key{}, context.Cause(ctx))
		case err != io.EOF && !passes(err):
			return c.streamFailed("watch", r, err, "")
		case from > heard:
			failures = 0
		case err != io.EOF:
			failures++
		}
		if failures == maxResumes {
			return c.failed("watch", r, wire.Key{}, err)
		}
		if time.Since(began) >= shortWatch {
			brief = 0
			if failures == 0 {
				continue
			}
		} else if brief++; from > heard {
			brief = min(brief, usefulBrief)
		}
		if err := pause(ctx, resumeAfter(max(failures, brief))); err != nil {
			return c.failed("watch", r, wire.Key{}, err)
		}
	}
}

// present hands on what there is, all of one version, and returns that.
func (c *Client[T]) present(ctx context.Context, where Where, each func(Event[T]) bool) (wire.Version, error) {
	version, err := c.list(ctx, where, FailExpired, func(obj *T) bool {
		v, _ := wire.ParseVersion(c.meta(obj).GetResourceVersion()) // the reader of the list has checked it
		return each(Event[T]{Type: wire.Added, Object: obj, Version: v})
	})
	if failed := (*RequestError)(nil); expired(err) && errors.As(err, &failed) {
		failed.Remedy = "watch anew and be quicker, or set a larger ClientConfig.PageSize"
	}
	return version, err
}

// follow reads one watch from a version to its end, and moves the version on.
func (c *Client[T]) follow(ctx context.Context, coll *Collection, from *wire.Version, each func(Event[T]) bool) error {
	var stream wire.Stream
	err := c.cluster.patiently(ctx, func() (err error) {
		if err = c.cluster.throttle(ctx); err != nil {
			return err
		}
		stream, err = coll.Watch(ctx, metav1.ListOptions{ResourceVersion: from.String(), AllowWatchBookmarks: true})
		return err
	})
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	w := wire.NewWatchReader(stream.Body, stream.Encoding, wire.Options{
		APIVersion: stream.APIVersion, Kind: stream.Kind, ManagedFields: wire.KeepManagedFields,
	})
	for {
		ev, err := w.Next()
		if err != nil {
			return err
		}
		switch ev.Type {
		case wire.Error:
			return coll.wrap("watch", &apierrors.StatusError{ErrStatus: *ev.Status})
		case wire.Bookmark:
			*from = max(*from, ev.Record.Version)
			continue
		}
		obj, err := c.record(ev.Record, coll.resource)
		if err != nil {
			return err
		}
		*from = max(*from, ev.Record.Version)
		if !each(Event[T]{Type: ev.Type, Object: obj, Version: ev.Record.Version}) {
			return errEnough
		}
	}
}

// passes reports whether what ended a watch may be gone when it is asked for
// again: a server that is away or in trouble, and not one that has refused.
func passes(err error) bool {
	var refused apierrors.APIStatus
	if errors.As(err, &refused) {
		code := refused.Status().Code
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
	}
	var (
		invalid  *wire.InvalidError
		tooLarge *wire.TooLargeError
		illegal  *IllegalError
	)
	return !errors.As(err, &invalid) && !errors.As(err, &tooLarge) && !errors.As(err, &illegal)
}

// resumeAfter returns how long to wait: twice as long after each failure, and up
// to half of it less, so that clients that were cut together do not come back
// together.
func resumeAfter(failures int) time.Duration {
	d := min(firstResume<<min(max(failures-1, 0), 10), lastResume)
	return d - time.Duration(rand.Int64N(int64(d/2)))
}
