package delta

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// Kind says what a delta does.
type Kind uint8

const (
	// Upsert puts Record in the place of what has its key.
	Upsert Kind = iota + 1
	// Delete removes what has the key of Record, whose version is that of the
	// deletion.
	Delete
	// Bookmark advances the version: everything up to it has been sent.
	Bookmark
	// Begin starts a replacement of everything.
	Begin
	// End completes the replacement that Begin started, as of Version.
	End
	// Leave says that the scope is no longer followed. The store drops the known state
	// of its objects, unless another scope covers them.
	Leave
	// Keep says that the object with the key of Record exists in an unusable state: the
	// store keeps its last known state, unless Record.UID is that of another object.
	// Record holds what could be read of the object, without a body; its key is zero if
	// not even the key could be read. Err says what is wrong.
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
	case Leave:
		return "Leave"
	case Keep:
		return "Keep"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Scope is what one list covers: the objects of one namespace of one cluster or, if the
// namespace is empty, of all its namespaces. Most collections have one scope, the zero
// value. Scopes of one collection overlap only while one replaces others.
type Scope struct {
	// Cluster is that of the keys.
	Cluster string
	// Namespace is one namespace, or empty for all.
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

// String returns "cluster:namespace", without what is empty, and "all" for the
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

// Delta is one change on its way. It is a value; its record is immutable.
type Delta struct {
	Kind Kind
	// Scope is the list or watch that the delta belongs to.
	Scope Scope
	// Version is the version that is reached with this delta: that of the
	// record, the bookmark, or the list. Zero on Begin.
	Version wire.Version
	// Record is the object of Upsert and Delete. Its cluster is that of Scope. A Delete
	// with an unusable last state has no body, and sets Err.
	Record wire.Record
	// Err says why an object is unusable, for Keep and for such a Delete.
	Err error
	// Order is that of the collection. It may change from ByVersion to ByArrival, but
	// never back.
	Order Order
	// Seen is when the delta was read from the server; zero if nobody noted it.
	Seen time.Time
}

// size is what the delta counts against Limits.Bytes.
func (d *Delta) size() int { return len(d.Record.Body) }

// Batch is a run of deltas in order.
type Batch []Delta
