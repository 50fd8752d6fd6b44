package reflector

import (
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Phase is the activity of a reflector.
type Phase uint8

const (
	// Starting means that no request has been granted yet.
	Starting Phase = iota
	// Listing means that a list, the first or a later one, is being read.
	Listing
	// Watching means that a watch is open.
	Watching
	// Waiting means that a fault has occurred. The next attempt is at Health.Retry.
	Waiting
	// Stopped means that Run has returned, or is about to. Health.Err is its error.
	Stopped
)

// String returns the name of the phase in lowercase.
func (p Phase) String() string {
	names := [...]string{"starting", "listing", "watching", "waiting", "stopped"}
	if int(p) < len(names) {
		return names[p]
	}
	return "unknown"
}

// Relists counts the relists by reason.
type Relists struct {
	// Expired counts relists because the version had expired (410).
	Expired uint64
	// Ahead counts relists because the version was larger than any the server has.
	Ahead uint64
	// Absent counts relists because the type was not served for a while (404).
	Absent uint64
	// Replaced counts relists because the version may come from another cluster.
	Replaced uint64
	// Stuck counts relists because resuming the watch did not help, although a list was
	// answered.
	Stuck uint64
	// Unordered counts relists after a watch, because the server does not order its
	// versions (Health.Order).
	Unordered uint64
}

// Gap is the interval of versions that a relist may have hidden. Of an object that changed
// several times in it, only the last state was seen. An object that was created and
// deleted in it was not seen at all.
type Gap struct {
	// From is the last version that was seen before the relist, To the version of the
	// list.
	From, To wire.Version
}

// Health describes a reflector at one instant.
type Health struct {
	Phase Phase
	// Since is when the phase began.
	Since time.Time
	// Fault and Err describe the current fault; NoFault and nil if there is none. A
	// fault of a request ends when a request is granted; a fault in the data ends with
	// progress.
	Fault Fault
	Err   error
	// Means is how changes are learned at present: Watch, ShortWatch or Polling. Reason is
	// why it is not Watch; nil if it is.
	Means  Means
	Reason error
	// Retry is the time of the next attempt. It is set only while Waiting.
	Retry time.Time
	// LastErr is the error of the last fault, which may be over.
	LastErr error
	// Synced reports that a list was completed, or that none was needed because of
	// Config.Resume.
	Synced bool
	// Version is the last version that was seen. A watch would resume there.
	Version wire.Version
	// LastEvent is the time of the last record or event, bookmarks included. Opening a
	// watch does not change it.
	LastEvent time.Time
	// Listed counts the objects of the current or last list. Remaining is the server's
	// estimate of the objects on later pages.
	Listed, Remaining int64
	// Restarts counts the watches that ended.
	Restarts uint64
	// Relists counts the lists after the first.
	Relists Relists
	// LastGap is the gap of the last of them. Its To is zero as long as the list is not
	// complete.
	LastGap Gap
	// Invalid counts the unusable objects in lists and events of watches. LastInvalid
	// names the last of them and its defect. The store keeps the last known state of
	// such an object.
	Invalid     uint64
	LastInvalid error
	// Skipped counts the objects and events that the server sent although they are outside
	// of the UID range of the source. It stays 0 if the server selects the range (KEP-5866).
	Skipped uint64
	// Order is ByVersion, unless the server was found not to order its versions: either
	// it is an aggregated server, or its events have shown it. Then the reflector takes
	// events in their order of arrival, and relists after each watch.
	Order delta.Order
	// OutOfOrder counts events that were not newer than an earlier event.
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

// significant reports whether the change from h to n must wake readers of the health. Counters
// and versions alone do not: they change with every event.
func (h *Health) significant(n *Health) bool {
	return h.Phase != n.Phase || h.Means != n.Means || h.Fault != n.Fault || h.Err != n.Err ||
		h.Synced != n.Synced || h.Order != n.Order || h.Invalid != n.Invalid || h.Relists != n.Relists
}
