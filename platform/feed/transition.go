package feed

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/wire"
)

// Position is a place in the feed. Positions begin with 1 and increase by 1. 0 is the
// beginning of the feed.
type Position int64

// Kind is the reason why a transition is in the feed.
type Kind int

const (
	// New transitions are later than all recorded transitions of their object.
	New = Kind(model.FeedNew)
	// Late transitions were missed at first, and written by a second recorder when their
	// object had a later revision.
	Late = Kind(model.FeedLate)
	// Corrected transitions replace an inferred value that the feed may have had. The
	// previous state differs, the revision became a transition or ceased to be one, or an
	// observed deletion replaces an inferred one.
	Corrected = Kind(model.FeedCorrected)
	// Decided entries are no transitions: the status of a job changed because of its pods, and its object
	// did not change. Only consumers that ask for them get them. See Object.Status.
	Decided = Kind(model.FeedDecided)
)

// String returns "new", "late", "corrected" or "decided".
func (k Kind) String() string {
	switch k {
	case New:
		return "new"
	case Late:
		return "late"
	case Corrected:
		return "corrected"
	case Decided:
		return "decided"
	}
	return "unknown"
}

// Source is the way in which a revision became known. String returns "watch", "list",
// "relist", "inferred" or "reshown".
type Source = model.Source

// Values of Source.
const (
	// Watched revisions came from an event of a watch.
	Watched = model.Watched
	// Listed revisions came from the first list of a scope.
	Listed = model.Listed
	// Relisted revisions came from a list after a gap. Changes within the gap are unknown.
	Relisted = model.Relisted
	// Inferred revisions follow from other observations. Their time is the time of the
	// inference.
	Inferred = model.Inferred
	// Reshown revisions have other content at the version that was stored: the schema or the
	// server changed, and the object did not.
	Reshown = model.Reshown
)

// Type is a type of objects. It has the fields Group ("batch"), Resource ("jobs") and Kind
// ("Job"). String returns "jobs.batch".
type Type = model.Type

// Owner is the object that controls another one: UID, Kind and Name.
type Owner = model.Owner

// Object is the object of a transition in its last recorded state, not in its state at the
// transition.
type Object struct {
	ID         int64 // row ID in this database
	Cluster    string
	ClusterUID string
	Type       Type
	Namespace  string
	Name       string
	UID        string
	Queue      string
	Submitter  string
	Owner      Owner
	Created    time.Time
	Labels     map[string]string // nil without labels; transitions of one object share the map
	// Status is the status of a job, which its object and its pods decide together. Its time is the
	// one since which the job is in its state. It is nil for other objects.
	Status *job.Status
}

// Transition is a change of the state of an object, at its place in the feed.
//
// Its states, reason and times are the current values in the history, which may have been
// corrected since the transition was committed. The feed then also has a Corrected entry.
type Transition struct {
	Position Position
	Kind     Kind
	// Withdrawn means that the revision is no longer a transition. Kind is then Corrected,
	// and the fields below Version are zero.
	Withdrawn       bool
	Object          Object
	Version         wire.Version
	From, To        job.State
	FromRaw, ToRaw  string // raw states
	Reason, Message string
	Happened, Seen  time.Time
	Source          Source
}

func transitionOf(r *model.FeedRow) Transition {
	t := Transition{
		Position: Position(r.Position), Kind: Kind(r.Kind), Object: Object{ID: r.Object}, Version: r.RevisionID.Version,
		From: job.State(r.From), To: job.State(r.To), FromRaw: r.FromRaw, ToRaw: r.ToRaw, Reason: r.Reason, Message: r.Message,
		Happened: model.Time(r.HappenedAt), Seen: model.Time(r.SeenAt), Source: r.Source,
	}
	switch r.Kind {
	case model.FeedWithdrawn:
		t.Kind, t.Withdrawn = Corrected, !r.Found
	case model.FeedDecided: // its revision may be a transition, of which another entry tells
		t = Transition{Position: t.Position, Kind: Decided, Object: t.Object, Version: t.Version}
	}
	return t
}

func objectOf(r *model.ListedObject) Object {
	return Object{
		ID: r.ID, Cluster: r.Cluster, ClusterUID: r.ClusterUID, Type: r.Type, Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		Queue: r.Queue, Submitter: r.Submitter, Owner: r.Owner, Created: model.Time(r.CreatedAt),
	}
}
