package delta

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// Kind is the effect of a delta.
type Kind uint8

const (
	// Upsert adds Record, or replaces the object with its key.
	Upsert Kind = iota + 1
	// Delete removes the object with the key of Record. The version of Record is the
	// version of the deletion.
	Delete
	// Bookmark advances the version: the server has sent everything up to it.
	Bookmark
	// Begin starts a replacement of all objects of the scope.
	Begin
	// End completes the replacement that Begin started, as of Version.
	End
	// Abandon ends that replacement without an effect: the known objects stay, and events
	// follow.
	Abandon
	// Leave means that the scope is no longer followed. The store drops the known state
	// of its objects, unless another scope covers them.
	Leave
	// Keep means that the object with the key of Record exists in an unusable state: the
	// store keeps its last known state, unless Record.UID belongs to another object.
	// Record has the fields that could be read, and no body; its key is zero if the key
	// could not be read. Err is the reason.
	Keep
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Upsert:
		return "Upsert"
	case Delete:
		return "Delete"
	case Bookmark:
		return "Bookmark"
	case Begin:
		return "Begin"
	case End:
		return "End"
	case Abandon:
		return "Abandon"
	case Leave:
		return "Leave"
	case Keep:
		return "Keep"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Scope is the part of a type that one list and watch covers: the objects in one namespace
// of a cluster or, if the namespace is empty, in all its namespaces. Most types have one
// scope, the zero value. Scopes of one type overlap only while one replaces others.
type Scope struct {
	// Cluster is the cluster of the keys.
	Cluster string
	// Namespace is one namespace; "" means all.
	Namespace string
}

// Covers reports whether an object with this key belongs to the scope.
func (s Scope) Covers(key wire.Key) bool {
	return s.Cluster == key.Cluster && (s.Namespace == "" || s.Namespace == key.Namespace)
}

// Contains reports whether this scope is wider than the other and includes all its
// objects: the scope of a whole cluster contains each namespace of it.
func (s Scope) Contains(other Scope) bool {
	return s.Cluster == other.Cluster && s.Namespace == "" && other.Namespace != ""
}

// String returns "cluster:namespace", only the part that is not empty, or "all" for the
// zero value.
func (s Scope) String() string {
	switch {
	case s == Scope{}:
		return "all"
	case s.Cluster == "":
		return s.Namespace
	case s.Namespace == "":
		return s.Cluster
	}
	return s.Cluster + ":" + s.Namespace
}

// Order determines which of two revisions of an object is the later one.
type Order uint8

const (
	// ByVersion: the revision with the larger resourceVersion is later, whenever it
	// arrives.
	ByVersion Order = iota
	// ByArrival: the revision that arrives later is later. The server does not order
	// its versions, so nothing protects against a server that sends old states again.
	ByArrival
)

// String returns "by version" or "by arrival".
func (o Order) String() string {
	if o == ByArrival {
		return "by arrival"
	}
	return "by version"
}

// Delta is one step from the reflector to the store. It is a value; its record is
// immutable.
type Delta struct {
	Kind Kind
	// Scope is the list or watch that the delta belongs to.
	Scope Scope
	// Version is the version that the scope reaches with this delta: the version of the
	// record, the bookmark or the list. It is zero on Begin.
	Version wire.Version
	// Record is the object of Upsert, Delete and Keep. Its cluster is Scope.Cluster. A
	// Delete with an unusable last state has no body, and sets Err.
	Record wire.Record
	// Err is the reason why an object is unusable, for Keep and for such a Delete.
	Err error
	// Order is the order of the scope. It may change from ByVersion to ByArrival, but
	// never back.
	Order Order
	// Seen is the time at which the delta was read from the server; zero if unknown.
	Seen time.Time
}

// size returns the bytes that the delta counts against Limits.Bytes.
func (d *Delta) size() int { return len(d.Record.Body) }

// Batch is a sequence of deltas in order.
type Batch []Delta
