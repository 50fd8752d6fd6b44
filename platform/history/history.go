package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// History queries the history in a database.
type History struct {
	db     *sqldb.DB
	limits limits
	bodies *bodies.Reader
}

// New returns the history in a database. The caller closes the database.
func New(db *sqldb.DB) *History { return &History{db, defaultLimits, new(bodies.Reader)} }

// Types returns all recorded types, sorted by resource and group.
func (h *History) Types(ctx context.Context) ([]Type, error) { return model.Types(ctx, h.db) }

// ListTransitions returns a page of the transitions that match a filter, ordered by the
// time of the transition.
//
// A page takes at most about 50 ms, with any filter and with 5,000,000 transitions in
// SQLite. If a full page would take longer, for example with several common conditions that
// few objects combine, the page is short and has a cursor. Objects with more than 10,000
// transitions take longer.
//
// Errors: ErrCursor; an unknown state; errors of the database.
func (h *History) ListTransitions(ctx context.Context, f Filter, p Paging) (Page[Change], error) {
	return listTransitions(ctx, h.db, h.limits, f, p)
}

// ListObjects returns a page of the objects that match a filter, ordered by the time when
// they entered their state. Limits and errors are those of ListTransitions.
//
// An object that changes its state while the pages are read moves to another place in the
// list.
func (h *History) ListObjects(ctx context.Context, f Filter, p Paging) (Page[Object], error) {
	return listObjects(ctx, h.db, h.limits, f, p)
}

// ListJobs returns a page of the jobs that match a filter: first the open jobs, most
// recently submitted first, then the ended jobs, most recently ended first. A job whose
// object is deleted has its outcome as its state. The outcome of jobs that were deleted
// before they ended is Deleted. ListJobs omits objects that belong to another job, such as
// the jobs of a JobSet.
//
// Nil types mean all types of jobs. The states of the filter apply to the rows. Since and
// Until limit the ends of jobs; an open job matches any Since. The order of p is ignored.
// Open spans last until now.
//
// A page takes the time of a page of ListTransitions, plus the time to read all open jobs.
// If there are more than 10,000, open jobs are ordered by the time when they entered their
// state. A job appears once in a page. A job that changes between the pages may be missing or
// appear twice.
//
// Errors: ErrCursor; an unknown state; errors of the database.
func (h *History) ListJobs(ctx context.Context, f Filter, p Paging, now time.Time) (JobPage, error) {
	return (&jobLister{h.db, h.limits, h.bodies}).page(ctx, f, p, now)
}

// Job returns the row of one object in the form of ListJobs. An open span lasts until now.
//
// Errors: ErrUnknown; errors of the database.
func (h *History) Job(ctx context.Context, object int64, now time.Time) (Job, error) {
	return (&jobLister{h.db, h.limits, h.bodies}).one(ctx, object, now)
}

// Objects returns a page of the objects that had a name, in the order in which they were
// first seen.
//
// Errors: ErrCursor; errors of the database.
func (h *History) Objects(ctx context.Context, n ObjectName, p Paging) (Page[Object], error) {
	return objectsNamed(ctx, h.db, n, func(c ...model.Condition) model.Query { return model.ObjectsNamed(n.Name, c...) }, p)
}

// ObjectsBetween is like Objects, for the names from the name in n up to another name,
// which is exclusive. Databases order punctuation differently, so the caller must compare
// the names of the result.
//
// Errors: ErrCursor; errors of the database.
func (h *History) ObjectsBetween(ctx context.Context, n ObjectName, to string, p Paging) (Page[Object], error) {
	return objectsNamed(ctx, h.db, n, func(c ...model.Condition) model.Query { return model.ObjectsBetween(n.Name, to, c...) }, p)
}

// ObjectsByID returns the objects with some IDs, in any order. It omits objects that
// retention has deleted.
//
// Errors: errors of the database.
func (h *History) ObjectsByID(ctx context.Context, ids []int64) ([]Object, error) {
	return objectsByID(ctx, h.db, ids)
}

// JobsByID returns what ObjectsByID returns. The state, the reason, the message and the time of
// an object that is a job are those of the job, which its pods may change: see job.Status.WithPods.
//
// Errors: errors of the database.
func (h *History) JobsByID(ctx context.Context, ids []int64) ([]Object, error) {
	return jobsByID(ctx, h.db, ids)
}

// Transitions returns a page of the transitions of an object, ordered by version.
//
// Errors: ErrCursor; errors of the database.
func (h *History) Transitions(ctx context.Context, object int64, p Paging) (Page[Transition], error) {
	return transitionsOf(ctx, h.db, object, p)
}

// Revisions returns a page of the revisions of an object, ordered by version.
//
// Errors: ErrCursor; errors of the database.
func (h *History) Revisions(ctx context.Context, object int64, p Paging) (Page[Revision], error) {
	return revisionsOf(ctx, h.db, object, p)
}

// Body returns an object as JSON at a version, or at its last version if version is 0. The
// JSON lacks the fields that recorders do not store, such as managedFields and
// resourceVersion. at is the version of the body.
//
// Errors: ErrUnknown, ErrNoBody; errors of the database.
func (h *History) Body(ctx context.Context, object int64, version wire.Version) (body []byte, at wire.Version, err error) {
	return bodyAt(ctx, h.db, h.bodies, object, version)
}

// StateBegan returns the version of the first recorded revision that showed the state of an
// object at the given version: the version of its last transition up to that version. Use
// it as RevisionsConfig.FirstVersion of controller.Revisions with the filter informer.ChangedBy(job.StateOf[T]), unless
// Config.State defines other states. cluster is the name or the UID of a cluster; empty
// means all clusters.
//
// The result does not change while the object is in the state, and retention keeps the
// required rows. If a state began before the first list or in a gap, the result is the
// first observed revision. If an object left a state and returned to it within a gap, the
// result is the beginning before the gap. When another recorder heals the gap, the result
// becomes exact.
//
// Errors: ErrUnknown if the revision is not recorded, or not yet; errors of the database.
func (h *History) StateBegan(ctx context.Context, cluster string, of Type, uid string, at wire.Version) (wire.Version, error) {
	return stateBegan(ctx, h.db, cluster, of, uid, at)
}

// Chain returns the chain of attempts of the job with a UID: a job, and the jobs that were
// submitted to repeat it, according to the annotations of package job. The attempts are
// ordered by number. A job without retries is a chain of one. cluster is the name or the
// UID of a cluster; empty means all clusters. Chain returns at most 200 attempts.
//
// Errors: ErrUnknown; errors of the database.
func (h *History) Chain(ctx context.Context, cluster string, of Type, uid string) ([]Attempt, error) {
	return (&chain{h.db, h.limits, h.bodies, cluster, of}).read(ctx, uid)
}

// Stats returns statistics of objects by type, sorted by type. Since and Until of the
// filter limit the period; without Until it ends now. The states of the filter are ignored.
//
// Stats reads every transition of the objects that existed in the period, which takes about
// 10 s for 1,000,000 transitions, and 16 bytes of memory for each object. A non-nil
// progress is called after every 1,000 objects with the number of objects so far.
//
// Errors: errors of the database; the cause of ctx.
func (h *History) Stats(ctx context.Context, f Filter, now time.Time, progress func(objects int)) ([]TypeStats, error) {
	return typeStats(ctx, h.db, f, now, progress)
}

// QueueStats returns the waiting and running times of objects, by queue. Only times that
// end in the period of the filter count, so Open of the spreads is 0. Objects without a
// queue count under "".
//
// QueueStats costs as much as Stats.
//
// Errors: errors of the database; the cause of ctx.
func (h *History) QueueStats(ctx context.Context, f Filter, now time.Time) (map[string]QueueStats, error) {
	return queueStats(ctx, h.db, f, now)
}

// PodsOf returns the recorded pods of some jobs by the IDs of the jobs, newest first: pods
// that a job controls, directly or through other recorded objects, and pods with the labels
// by which operators mark the pods of a job. It runs a fixed number of queries for any
// number of jobs. Each query reads at most most index entries; beyond that, old pods are
// missing.
//
// Errors: errors of the database.
func (h *History) PodsOf(ctx context.Context, jobs []Object, most int) (map[int64][]Object, error) {
	return podsOfJobs(ctx, h.db, jobs, most)
}

// Bodies returns the bodies of objects at their Version, in the form of Body, by ID with a
// few queries. It omits objects without a body.
//
// Errors: errors of the database.
func (h *History) Bodies(ctx context.Context, objects []Object) (map[int64][]byte, error) {
	all := make([]*Object, len(objects))
	for i := range objects {
		all[i] = &objects[i]
	}
	return bodiesOf(ctx, h.db, h.bodies, all)
}

// Lives returns the lives of objects of any type by their IDs, with two queries. An open span
// lasts until now.
//
// Errors: errors of the database.
func (h *History) Lives(ctx context.Context, objects []Object, now time.Time) (map[int64]job.Life, error) {
	return livesOf(ctx, h.db, objects, instant{at: now})
}

// LivesAt returns the lives of objects as Lives does, as they were at an instant.
//
// Errors: errors of the database.
func (h *History) LivesAt(ctx context.Context, objects []Object, at time.Time) (map[int64]job.Life, error) {
	return livesOf(ctx, h.db, objects, instant{at, true})
}

// Labels returns the last labels of some objects by their IDs. Objects without labels have
// no entry.
//
// Errors: errors of the database.
func (h *History) Labels(ctx context.Context, objects []int64) (map[int64]map[string]string, error) {
	return model.LabelsOf(ctx, h.db, objects)
}

// Activity returns recent writes of recorders: their coverage, and the new transitions of
// the feed after a position. It takes 20 ms for 5,000 transitions, and reads an index of
// all existing objects.
//
// Errors: errors of the database.
func (h *History) Activity(ctx context.Context, after int64) (Activity, error) {
	return activityOf(ctx, h.db, after)
}

// Freshness returns how current the records of all clusters and types are at a time by the
// clock of the database, in the order of their names. It reads one row for each type of each
// recorder.
//
// Errors: errors of the database.
func (h *History) Freshness(ctx context.Context, now time.Time) ([]Freshness, error) {
	return freshnessOf(ctx, h.db, now)
}

// FoundAfter returns the number of transitions during a gap that were found after its end.
// It returns 0 for a lasting gap.
//
// Errors: errors of the database.
func (h *History) FoundAfter(ctx context.Context, g *Gap) (int, error) {
	if g.Ended.IsZero() {
		return 0, nil
	}
	return model.CountUnwatched(ctx, h.db, g.ClusterUID, g.Type, g.Namespace, model.Micros(g.Began), model.Micros(g.Ended))
}

// ListGaps returns a page of gaps, in the order in which they were recorded.
//
// Errors: ErrCursor; errors of the database.
func (h *History) ListGaps(ctx context.Context, f GapFilter, p Paging) (Page[Gap], error) {
	return listGaps(ctx, h.db, f, p)
}
