package reflector

import (
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Phase says what a reflector is doing.
type Phase uint8

const (
	// Starting: nothing has been answered yet.
	Starting Phase = iota
	// Listing: objects are being fetched, for the first time or anew.
	Listing
	// Watching: events are followed.
	Watching
	// Waiting: there was a fault; the next try is at Health.Retry.
	Waiting
	// Stopped: Run has returned, or is about to. Health.Err is the error that it returns.
	Stopped
)

// String returns the name of the phase in lower case.
func (p Phase) String() string {
	names := [...]string{"starting", "listing", "watching", "waiting", "stopped"}
	if int(p) < len(names) {
		return names[p]
	}
	return "unknown"
}

// Relists counts, by reason, how often everything had to be listed from scratch.
type Relists struct {
	// Expired counts relists because the version was gone (410).
	Expired uint64
	// Ahead counts relists because the version was larger than any the server has.
	Ahead uint64
	// Absent counts relists because the type was not served for a while (404).
	Absent uint64
	// Replaced counts relists because the version may come from another cluster.
	Replaced uint64
	// Unordered counts relists after a watch, because the server does not order its
	// versions (Health.Order).
	Unordered uint64
}

// Gap is what a list after the first may have hidden: revisions between two
// versions. Of objects that changed several times in between only the last state
// was seen, and those that came and went were not.
type Gap struct {
	// From is the last version that was seen before, To that of the list after.
	From, To wire.Version
}

// Health is how a reflector is, as a value.
type Health struct {
	Phase Phase
	// Since is when the phase began.
	Since time.Time
	// Fault and Err describe the current fault; NoFault and nil if there is none. A
	// fault of a request ends when a request is granted; a fault in the data ends with
	// progress.
	Fault Fault
	Err   error
	// Retry is when the next try is made; only while Waiting.
	Retry time.Time
	// LastErr is the last fault, also after it was overcome.
	LastErr error
	// Synced: a list has been completed at least once, or was not needed since
	// Config.Resume was set.
	Synced bool
	// Version is the last version that was seen, where a watch would resume.
	Version wire.Version
	// LastEvent is when the last record or event came, bookmarks included.
	LastEvent time.Time
	// Listed counts the objects of the list that is running or was last;
	// Remaining is the server's estimate of what later pages hold.
	Listed, Remaining int64
	// Restarts counts the watches that ended and were opened again.
	Restarts uint64
	// Relists counts the lists after the first.
	Relists Relists
	// LastGap is what the last of them may have hidden; its To is zero as long as
	// the list is not complete.
	LastGap Gap
	// Invalid counts the unusable objects in lists and events of watches. LastInvalid
	// names the last of them and its defect. The store keeps the last known state of
	// such an object.
	Invalid     uint64
	LastInvalid error
	// Order is ByVersion, unless the server was found not to order its versions: either
	// it is an aggregated server, or its events have shown it. Then the reflector takes
	// events in their order of arrival, and relists after each watch.
	Order delta.Order
	// OutOfOrder counts events that were not newer than one before them.
	OutOfOrder uint64
}

func (h *Health) relisted(f Fault) {
	switch f {
	case Expired:
		h.Relists.Expired++
	case Ahead:
		h.Relists.Ahead++
	case Absent:
		h.Relists.Absent++
	case Replaced:
		h.Relists.Replaced++
	default:
		h.Relists.Unordered++
	}
}

// news reports whether somebody who looks at h wants to know that it is now n.
// Counters and versions alone are no news: they change with every event.
func (h *Health) news(n *Health) bool {
	return h.Phase != n.Phase || h.Fault != n.Fault || h.Err != n.Err ||
		h.Synced != n.Synced || h.Order != n.Order || h.Invalid != n.Invalid || h.Relists != n.Relists
}
