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
	// Leave says that the scope is followed no longer. What is known of its objects
	// is dropped, unless another scope covers them.
	Leave
	// Keep says that the object with the key of Record is there, in a state that
	// cannot be used: what is known of it stays, unless Record.UID is that of
	// another object. Record is what could be read of it, without a body; its key is
	// zero where not even that could. Err says what is wrong.
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

// Scope is what one list covers: the objects of one cluster, and of one
// namespace of it or, if that is empty, of all. Most collections have one scope,
// the zero value. Scopes of one collection overlap only while one takes the place of
// others.
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

// Contains reports whether every object of another scope belongs to this one, which
// is another: one namespace of a cluster is contained in all of it.
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

// Order says what decides which of two revisions of an object is the later one.
type Order uint8

const (
	// ByVersion: the larger resourceVersion is the later one, whenever it comes.
	ByVersion Order = iota
	// ByArrival: what comes later is later. The server does not order its versions,
	// so nothing protects from one that sends old states again.
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
	// Record is the object of Upsert and Delete. Its cluster is that of Scope. A
	// Delete of an object whose last state cannot be used has no body, and Err.
	Record wire.Record
	// Err says why an object cannot be used, on Keep and such a Delete.
	Err error
	// Order is that of the collection. It may change from ByVersion to ByArrival,
	// and never back.
	Order Order
	// Seen is when the delta was read from the server; zero if nobody noted it.
	Seen time.Time
}

// size is what the delta counts against Limits.Bytes.
func (d *Delta) size() int { return len(d.Record.Body) }

// Batch is a run of deltas in order.
type Batch []Delta
