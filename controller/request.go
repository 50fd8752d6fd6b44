package controller

import (
	"context"
	"log/slog"

	"github.com/vedette-io/vedette/wire"
)

// Request says what is to be reconciled, and why. It is a value.
type Request struct {
	// Key names what is to be reconciled: an object, if the key came from Objects.
	Key wire.Key
	// ID tells this reconcile from all others, in logs.
	ID string
	// Attempt counts the reconciles of the key that follow each other by backoff: 1
	// for the first.
	Attempt int
	// Priority is the one with which the key waited.
	Priority int8
	// Reasons are what the key was to be reconciled for, the last ones if there
	// were many; More counts the others. There may be none: what the key came for
	// was seen by the reconcile before.
	Reasons []Reason
	More    int
	// Token is a number that grows whenever the key passes from one replica to
	// another, and at times in between: a fencing token. Whoever writes with it, and
	// refuses a write whose token is lower than the last, is safe from a replica
	// that was stopped and does not know yet that it has been replaced; Fence does
	// that for objects. 0 if Replicas is not set. Tokens of one group of replicas
	// can be compared, others can not.
	Token uint64
}

// Reason is one thing that made a key wait to be reconciled.
type Reason struct {
	Cause Cause
	// Source is the name of the source; empty where none was involved.
	Source string
	// Object and Version say what has changed, and to which state.
	Object  wire.Key
	Version wire.Version
}

// Cause says what has happened.
type Cause uint8

const (
	// Triggered: Controller.Trigger was called.
	Triggered Cause = iota
	// Initial: the object was there when the controller, or its duty for the key,
	// began.
	Initial
	// Added: there is a new object.
	Added
	// Updated: the object has changed.
	Updated
	// Deleted: the object is gone.
	Deleted
	// Resynced: nothing has happened; the source tells of it again.
	Resynced
	// Repeated: the reconcile before has asked for it by Again.
	Repeated
	// Retried: the reconcile before has failed.
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

// String says it in one word or two: "updated ml/train-0 at 17".
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

// Log returns the logger of a reconcile, from its context: it says the
// controller, the key and the ID of the request. Of any other context it is
// slog.Default().
func Log(ctx context.Context) *slog.Logger {
	if l, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return l
	}
	return slog.Default()
}
