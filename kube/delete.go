package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/wire"
)

// Propagation says what becomes of the objects that a deleted one owns.
type Propagation uint8

const (
	// DefaultPropagation is what the type prefers: Background for most.
	DefaultPropagation Propagation = iota
	// Background deletes them afterwards.
	Background
	// Foreground deletes them first: the object stays, marked, until they are gone.
	Foreground
	// Orphan leaves them.
	Orphan
)

// DeleteOptions say how to delete. The zero value deletes whatever has the name,
// in the way of its type.
type DeleteOptions struct {
	// UID and Version, if set, are those that the object must have, or the answer
	// is a conflict: the UID so that no later namesake is deleted.
	UID     types.UID
	Version wire.Version
	// Propagation: as the type prefers unless it is said here.
	Propagation Propagation
	// Grace is how long the object may take to end, in whole seconds; nil is what
	// the type prefers, and 0 is at once.
	Grace *time.Duration
}

// Delete deletes the object with a key. When it returns, the object is gone, or
// is marked and goes when its finalizers or its grace period let it.
//
// Errors: *RequestError; apierrors.IsNotFound where there is none,
// apierrors.IsConflict where it is not the one that the options name.
func (c *Client[T]) Delete(ctx context.Context, key wire.Key, opts DeleteOptions) error {
	r, key, err := c.base().resolveObject(ctx, "delete", key)
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

// deleteOptions returns options as they are sent.
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
		o.PropagationPolicy = new(metav1.DeletePropagationBackground)
	case Foreground:
		o.PropagationPolicy = new(metav1.DeletePropagationForeground)
	case Orphan:
		o.PropagationPolicy = new(metav1.DeletePropagationOrphan)
	default:
		return nil, &IllegalError{Problem: fmt.Sprintf("there is no propagation %d", opts.Propagation)}
	}
	if opts.Grace != nil {
		if *opts.Grace < 0 || *opts.Grace%time.Second != 0 {
			return nil, &IllegalError{Problem: fmt.Sprintf("a grace period of %v is not one", *opts.Grace), Remedy: "state whole seconds, 0 or more"}
		}
		o.GracePeriodSeconds = new(int64(*opts.Grace / time.Second))
	}
	return json.Marshal(o)
}

// reportDeleted reports what a server has answered a deletion with: the object if it
// stays for a while, and for a few types if it does not; else a Status.
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
	if obj.DeletionTimestamp == nil { // what stays is marked
		e.report(ctx, Written{Resource: a.resource, Key: key, UID: string(obj.UID), Effect: Removed})
		return nil
	}
	e.reportObject(ctx, a.resource, &obj)
	return nil
}

// DeleteAll deletes the selected objects, and returns how many there were. For a
// type that lives in namespaces, where must name one. It is one request: if it
// fails half-way, some are deleted. The UID of the options must be empty, for it
// is that of one object, and so must the version. To WithWrites it reports, for each
// object that was not being deleted already, the version after the one that it had
// when the server looked: it has at least that now, or is gone.
//
// Errors: *RequestError.
func (c *Client[T]) DeleteAll(ctx context.Context, where Where, opts DeleteOptions) (int, error) {
	const verb = "deletecollection"
	r, coll, err := c.base().collection(ctx, verb, where)
	if err != nil {
		return 0, err
	}
	key := wire.Key{Namespace: where.Namespace}
	err = c.checkScope(r, key)
	if err == nil && (opts.UID != "" || opts.Version != 0) {
		err = &IllegalError{Problem: "a UID or a version is that of one object", Remedy: "use Delete"}
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

// reportDeletedAll counts and reports the objects of a list that were deleted. They
// come as they were before: those that were not marked yet have a later version
// now, or are gone.
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
