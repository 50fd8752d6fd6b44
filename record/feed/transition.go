package feed

import (
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// Position is a place in the feed. The first transition has position 1, and each next one
// the next number. 0 is the beginning.
type Position int64

// Kind says why a transition is in the feed.
type Kind int

const (
	// New transitions are later than all others of their object that were recorded.
	New = Kind(model.FeedNew)
	// Late transitions were missed at first, and written when the object had a later
	// revision. A second recorder has filled them in.
	Late = Kind(model.FeedLate)
	// Corrected transitions replace a conclusion that the feed may have had before. The
	// previous state differs, the revision became a transition or ceased to be one, or an
	// observed deletion replaces an inferred deletion.
	Corrected = Kind(model.FeedCorrected)
)

// String returns "new", "late" or "corrected".
func (k Kind) String() string {
	switch k {
	case New:
		return "new"
	case Late:
		return "late"
	case Corrected:
		return "corrected"
	}
	return "unknown"
}

// Source says how a revision became known. String returns "watch", "list", "relist" or
// "inferred".
type Source = model.Source

// The values of Source.
const (
	// Watched: by an event of a watch.
	Watched = model.Watched
	// Listed: by the first list of a scope.
	Listed = model.Listed
	// Relisted: by a list after a gap. Changes within the gap are not known.
	Relisted = model.Relisted
	// Inferred: from something else. Its time is that of the conclusion.
	Inferred = model.Inferred
)

// Type is a type of objects. It has the fields Group ("batch"), Resource ("jobs") and Kind
// ("Job"). String returns "jobs.batch".
type Type = model.Type

// Owner is the object that controls another one: UID, Kind and Name.
type Owner = model.Owner

// Object is the object of a transition: as it was recorded last, not as it was at the
// transition.
type Object struct {
	ID         int64 // in this database
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
	Labels     map[string]string // nil if it has none; objects of several transitions share it
}

// Transition is a change of the state of an object, at its place in the feed.
//
// Its states, reason and times are those that the history has when it is read. They may
// have been corrected since. The feed then also has a Corrected entry.
type Transition struct {
	Position Position
	Kind     Kind
	// Withdrawn says that the revision is no transition any more. Kind is then Corrected,
	// and the fields below Version are zero.
	Withdrawn       bool
	Object          Object
	Version         wire.Version
	From, To        state.State
	FromRaw, ToRaw  string // words of the type itself
	Reason, Message string
	Happened, Seen  time.Time
	Source          Source
}

func transitionOf(r *model.FeedRow) Transition {
	t := Transition{
		Position: Position(r.Position), Kind: Kind(r.Kind), Object: Object{ID: r.Object}, Version: r.RevisionID.Version,
		From: state.State(r.From), To: state.State(r.To), FromRaw: r.FromRaw, ToRaw: r.ToRaw, Reason: r.Reason, Message: r.Message,
		Happened: model.Time(r.HappenedAt), Seen: model.Time(r.SeenAt), Source: r.Source,
	}
	if r.Kind == model.FeedWithdrawn {
		t.Kind, t.Withdrawn = Corrected, !r.Found
	}
	return t
}

func objectOf(r *model.ListedObject) Object {
	return Object{
		ID: r.ID, Cluster: r.Cluster, ClusterUID: r.ClusterUID, Type: r.Type, Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		Queue: r.Queue, Submitter: r.Submitter, Owner: r.Owner, Created: model.Time(r.CreatedAt),
	}
}
