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

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/wire"
)

// These constants bound how a watch resumes after an interruption.
const (
	maxResumes         = 10 // in a row, without an event or bookmark
	minResumeWait      = 200 * time.Millisecond
	maxResumeWait      = 10 * time.Second
	shortWatch         = time.Second
	maxBriefWithEvents = 4 // at most so many short watches with events count for the backoff
)

// errBriefWatches is the fault of a server, or a proxy, that ends watches at once.
var errBriefWatches = errors.New("the server ended each of ten watches at once, without an event")

// Event is one change of an object.
type Event[T any] struct {
	// Type is wire.Added, wire.Modified or wire.Deleted.
	Type wire.EventType
	// Object is the new state, or the last state for a deletion. It is never nil.
	Object *T
	// Version is the version of the change, from which a later Watch can continue.
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
// error is that of the last attempt. A watch that the server ends within a second, without
// an event, has failed.
func (c *Client[T]) Watch(ctx context.Context, where Where, from wire.Version) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		if err := c.watch(ctx, where, from, func(ev Event[T]) bool { return yield(ev, nil) }); err != nil && err != errStopped {
			yield(Event[T]{}, err)
		}
	}
}

// watch calls each for every event until each returns false. It resumes after an
// interruption.
func (c *Client[T]) watch(ctx context.Context, where Where, from wire.Version, each func(Event[T]) bool) error {
	r, coll, err := c.endpointOrNil().collection(ctx, "watch", where)
	if err != nil {
		return err
	}
	if from == 0 {
		if from, err = c.listInitial(ctx, where, each); err != nil {
			return err
		}
	}
	brief := 0 // consecutive watches that ended early
	for failures := 0; ; {
		began, heard := time.Now(), from
		err := c.readWatch(ctx, coll, &from, each)
		switch {
		case err == errStopped:
			return err
		case ctx.Err() != nil:
			return c.requestError("watch", r, wire.Key{}, context.Cause(ctx))
		case err != io.EOF && !isTransient(err):
			return c.streamError("watch", r, err, "")
		case from > heard:
			failures = 0
		case err != io.EOF:
			failures++
		case time.Since(began) < shortWatch:
			failures++
			err = errBriefWatches
		default:
			failures = 0
		}
		if failures == maxResumes {
			return c.requestError("watch", r, wire.Key{}, err)
		}
		if time.Since(began) >= shortWatch {
			brief = 0
			if failures == 0 {
				continue
			}
		} else if brief++; from > heard {
			brief = min(brief, maxBriefWithEvents)
		}
		if err := pause.For(ctx, resumeBackoff(max(failures, brief))); err != nil {
			return c.requestError("watch", r, wire.Key{}, err)
		}
	}
}

// listInitial passes the current objects, all from one version, to each, and returns that
// version.
func (c *Client[T]) listInitial(ctx context.Context, where Where, each func(Event[T]) bool) (wire.Version, error) {
	version, err := c.list(ctx, where, FailExpired, func(obj *T) bool {
		v, _ := wire.ParseVersion(c.meta(obj).GetResourceVersion()) // the list reader has validated it
		return each(Event[T]{Type: wire.Added, Object: obj, Version: v})
	})
	if failed := (*RequestError)(nil); expired(err) && errors.As(err, &failed) {
		failed.Remedy = "watch again and read faster, or set a larger ClientConfig.PageSize"
	}
	return version, err
}

// readWatch reads one watch from a version to its end, and advances the version.
func (c *Client[T]) readWatch(ctx context.Context, coll *Collection, from *wire.Version, each func(Event[T]) bool) error {
	var stream wire.Stream
	err := c.cluster.retryBusy(ctx, func() (err error) {
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
		obj, err := c.decodeRecord(ev.Record, coll.resource)
		if err != nil {
			return err
		}
		*from = max(*from, ev.Record.Version)
		if !each(Event[T]{Type: ev.Type, Object: obj, Version: ev.Record.Version}) {
			return errStopped
		}
	}
}

// isTransient reports whether a retry may succeed after err ended a watch: the server was
// unreachable or failing, but has not rejected the request.
func isTransient(err error) bool {
	var refused apierrors.APIStatus
	if errors.As(err, &refused) {
		code := refused.Status().Code
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
	}
	var (
		invalid  *wire.InvalidError
		tooLarge *wire.TooLargeError
	)
	return !errors.As(err, &invalid) && !errors.As(err, &tooLarge) && !errcode.Is(err, errcode.Invalid)
}

// resumeBackoff returns the wait before the next attempt. It doubles after each failure,
// minus a random part of up to one half, so that clients that were interrupted together
// do not return together.
func resumeBackoff(failures int) time.Duration {
	d := min(minResumeWait<<min(max(failures-1, 0), 10), maxResumeWait)
	return d - time.Duration(rand.Int64N(int64(d/2)))
}
