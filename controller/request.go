package controller

import (
	"context"
	"log/slog"

	"github.com/vedette-io/vedette/wire"
)

// Request names the key to reconcile, and the reasons. It is a value.
type Request struct {
	// Key is the key to reconcile: the key of an object, if the source is Objects.
	Key wire.Key
	// ID identifies this reconcile in logs. It is unique.
	ID string
	// Attempt counts the reconciles of the key since its last success, from 1.
	Attempt int
	// Priority is the priority with which the key waited.
	Priority int8
	// Reasons are the last reasons for which the key was enqueued, at most 8; More counts
	// the earlier ones. Reasons may be empty: an earlier reconcile has already handled the
	// change.
	Reasons []Reason
	More    int
	// Token is a fencing token: a number that grows whenever the key passes from one
	// replica to another, and sometimes in between. A writer that rejects tokens lower than
	// the last one is safe from a replica that was suspended and has been replaced; Fence
	// does this for objects. Token is 0 if Replicas is not set. Only tokens of the same
	// group of replicas can be compared.
	Token uint64
}

// Reason is a cause for which a key was enqueued.
type Reason struct {
	Cause Cause
	// Source is the name of the source; empty if no source was involved.
	Source string
	// Object is the object that changed, and Version its new version.
	Object  wire.Key
	Version wire.Version
}

// Cause is the kind of a reason.
type Cause uint8

const (
	// Triggered: Controller.Trigger was called.
	Triggered Cause = iota
	// Initial: the object existed when the controller started, or when this replica got the
	// key.
	Initial
	// Added: the object is new.
	Added
	// Updated: the object has changed.
	Updated
	// Deleted: the object was deleted, or is no longer selected.
	Deleted
	// Resynced: the source repeated the object without a change.
	Resynced
	// Repeated: the previous reconcile returned RequeueAfter.
	Repeated
	// Retried: the previous reconcile failed.
	Retried
)

var causes = [...]string{"triggered", "initial", "added", "updated", "deleted", "resynced", "repeated", "retried"}

// String returns the name of the cause.
func (c Cause) String() string {
	if int(c) < len(causes) {
		return causes[c]
	}
	return "unknown"
}

// String returns the cause, the object and the version, such as "updated ml/train-0 at 17".
func (r Reason) String() string {
	s := r.Cause.String()
	if r.Object != (wire.Key{}) {
		s += " " + r.Object.String()
	}
	if r.Version != 0 {
		s += " at " + r.Version.String()
	}
	return s
}

type loggerKey struct{}

// Log returns the logger of a reconcile from its context, with the name of the controller,
// the key and the ID of the request as attributes. For any other context it returns
// slog.Default().
func Log(ctx context.Context) *slog.Logger {
	if l, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return l
	}
	return slog.Default()
}

// batch is a list of keys, each with a reason.
type batch struct {
	keys    []wire.Key
	reasons []Reason
}

func (b *batch) add(key wire.Key, r Reason) {
	b.keys, b.reasons = append(b.keys, key), append(b.reasons, r)
}
