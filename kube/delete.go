package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// Propagation determines what happens to the dependents of a deleted object.
type Propagation uint8

const (
	// DefaultPropagation is the default of the type: Background for most types.
	DefaultPropagation Propagation = iota
	// Background deletes them after the object.
	Background
	// Foreground deletes them before the object, which stays, marked as being deleted,
	// until they no longer exist.
	Foreground
	// Orphan does not delete them.
	Orphan
)

// DeleteOptions configures a deletion. The zero value deletes the object with the name,
// whatever its UID and version are, with the defaults of its type.
type DeleteOptions struct {
	// UID and Version, if set, must be those of the object; otherwise the error is a
	// conflict. Set the UID to protect a later object of the same name.
	UID     types.UID
	Version wire.Version
	// Propagation determines what happens to dependents.
	Propagation Propagation
	// Grace is the time that the object gets to end, in whole seconds. nil means the
	// default of the type, and 0 means immediately.
	Grace *time.Duration
}

// SameObject returns the options that delete obj, which was read from a server, and not a
// later object of its name.
func SameObject(obj metav1.Object) DeleteOptions { return DeleteOptions{UID: obj.GetUID()} }

// SameRevision returns the options that delete obj only if nobody has changed it since it was
// read:
//
//	err := jobs.Delete(ctx, kube.KeyOf(job), kube.SameRevision(job))
//
// An object without a valid resourceVersion equals no revision; its deletion is a conflict.
func SameRevision(obj metav1.Object) DeleteOptions {
	v, err := VersionOf(obj)
	if err != nil || v == 0 {
		v = math.MaxUint64
	}
	return DeleteOptions{UID: obj.GetUID(), Version: v}
}

// Delete deletes the object with a key. When it returns, the object no longer exists, or
// is marked as being deleted and remains until its finalizers are removed or its grace
// period ends.
//
// Errors: *RequestError; apierrors.IsNotFound if the object does not exist,
// apierrors.IsConflict if its UID or version differs from the options.
func (c *Client[T]) Delete(ctx context.Context, key wire.Key, opts DeleteOptions) error {
	r, key, err := c.endpointOrNil().resolveObject(ctx, "delete", key)
	if err != nil {
		return err
	}
	body, err := c.deleteOptions(opts)
	if err != nil {
		return c.requestError("delete", r, key, err)
	}
	a, err := c.send(ctx, r, call{
		verb: "delete", method: http.MethodDelete, key: key, body: body,
		contentType: wire.MediaTypeJSON, accept: wire.MediaTypeJSON + partialObject + "," + wire.MediaTypeJSON,
	})
	if err != nil {
		return err
	}
	return c.reportDeleted(ctx, a, key)
}

// deleteOptions encodes options for a request.
func (e *endpoint) deleteOptions(opts DeleteOptions) ([]byte, error) {
	o := metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}}
	if e.cfg.Writes == DryRun {
		o.DryRun = []string{metav1.DryRunAll}
	}
	if opts.UID != "" || opts.Version != 0 {
		o.Preconditions = &metav1.Preconditions{}
		if opts.UID != "" {
			o.Preconditions.UID = &opts.UID
		}
		if v := opts.Version.String(); v != "" {
			o.Preconditions.ResourceVersion = &v
		}
	}
	switch opts.Propagation {
	case DefaultPropagation:
	case Background:
		o.PropagationPolicy = ptr.To(metav1.DeletePropagationBackground)
	case Foreground:
		o.PropagationPolicy = ptr.To(metav1.DeletePropagationForeground)
	case Orphan:
		o.PropagationPolicy = ptr.To(metav1.DeletePropagationOrphan)
	default:
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the propagation %d is not valid", opts.Propagation)}
	}
	if opts.Grace != nil {
		if *opts.Grace < 0 || *opts.Grace%time.Second != 0 {
			return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the grace period %v is not valid", *opts.Grace), Remedy: "use whole seconds, 0 or more"}
		}
		o.GracePeriodSeconds = ptr.To(int64(*opts.Grace / time.Second))
	}
	return json.Marshal(o)
}

// reportDeleted reports the answer to a deletion. The answer is the object if the object
// remains for some time, and for a few types also if it does not remain; otherwise it is
// a Status.
func (e *endpoint) reportDeleted(ctx context.Context, a response, key wire.Key) error {
	var said struct {
		Kind    string                `json:"kind"`
		Details *metav1.StatusDetails `json:"details"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil {
		return e.requestError("delete", a.resource, key, err)
	}
	if said.Kind == "Status" {
		w := Written{Resource: a.resource, Key: key, Effect: Removed}
		if said.Details != nil {
			w.UID = string(said.Details.UID)
		}
		e.report(ctx, w)
		return nil
	}
	var obj metav1.PartialObjectMetadata
	if err := json.Unmarshal(a.body, &obj); err != nil {
		return e.requestError("delete", a.resource, key, err)
	}
	if obj.DeletionTimestamp == nil { // an object that remains is marked
		e.report(ctx, Written{Resource: a.resource, Key: key, UID: string(obj.UID), Effect: Removed})
		return nil
	}
	e.reportObject(ctx, a.resource, &obj, fieldReader[metav1.PartialObjectMetadata](a))
	return nil
}

// DeleteAll deletes the selected objects and returns their number. For a namespaced type,
// where must have a namespace. DeleteAll is one request; if it fails halfway, some
// objects are deleted. The UID and the version in opts must be empty, because they
// identify one object. For each object that was not already being deleted, DeleteAll
// reports to WithWrites the version that the object had when the server read it, plus
// one: the object now has this version or a later one, or no longer exists.
//
// Errors: *RequestError.
func (c *Client[T]) DeleteAll(ctx context.Context, where Where, opts DeleteOptions) (int, error) {
	const verb = "deletecollection"
	r, coll, err := c.endpointOrNil().collection(ctx, verb, where)
	if err != nil {
		return 0, err
	}
	key := wire.Key{Namespace: where.Namespace}
	err = c.checkScope(r, key)
	if err == nil && (opts.UID != "" || opts.Version != 0) {
		err = &errcode.Error{Code: errcode.Invalid, Problem: "a UID or version identifies one object, not a collection", Remedy: "use Delete"}
	}
	var body []byte
	if err == nil {
		body, err = c.deleteOptions(opts)
	}
	if err != nil {
		return 0, c.requestError(verb, r, key, err)
	}
	query, err := coll.query(metav1.ListOptions{})
	if err != nil {
		return 0, c.requestError(verb, r, key, err)
	}
	const partialList = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	a, err := c.send(ctx, r, call{
		verb: verb, method: http.MethodDelete, key: key, query: query, body: body,
		contentType: wire.MediaTypeJSON, accept: wire.MediaTypeJSON + partialList + "," + wire.MediaTypeJSON,
	})
	if err != nil {
		return 0, err
	}
	n, err := c.reportDeletedAll(ctx, a)
	if err != nil {
		return n, c.requestError(verb, r, key, err)
	}
	return n, nil
}

// reportDeletedAll counts and reports the deleted objects in a list. The list shows them
// as they were before the deletion. Objects that were not marked as being deleted then
// have a later version now, or no longer exist.
func (e *endpoint) reportDeletedAll(ctx context.Context, a response) (n int, err error) {
	l := wire.NewListReader(bytes.NewReader(a.body), a.encoding, wire.Options{})
	for {
		rec, err := l.Next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n++
		before, err := wire.Codec[metav1.PartialObjectMetadata]{}.Decode(rec)
		if err != nil {
			return n, err
		}
		if before.DeletionTimestamp == nil {
			e.report(ctx, Written{Resource: a.resource, Key: rec.Key, UID: rec.UID, Version: rec.Version + 1})
		}
	}
}
