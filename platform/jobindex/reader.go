package jobindex

import (
	"cmp"
	"context"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// reader reads jobs from the database.
type reader struct {
	db     *sqldb.DB
	bodies bodies.Reader
}

// types returns the IDs of the types of jobs with recorded objects.
func (r *reader) types(ctx context.Context) ([]int64, error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	var all []model.Type
	for _, name := range job.Types() {
		resource, group := job.SplitType(name)
		all = append(all, model.Type{Group: group, Resource: resource})
	}
	ids, err := model.ResourceIDs(ctx, r.db, all)
	return ids, r.db.Explain(err)
}

// conditions select objects of some types that are jobs.
func conditions(types []int64) []model.Condition {
	return []model.Condition{model.OfTypes(types), model.NotOwnedBy(job.Parents())}
}

// listed returns at most limit objects that are jobs, with IDs after one, ordered by ID.
func (r *reader) listed(ctx context.Context, types []int64, after int64, limit int) (objects []model.ListedObject, err error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	err = model.ObjectsAlive(ctx, r.db, after, 0, limit, conditions(types), func(o model.ListedObject) { objects = append(objects, o) })
	return objects, r.db.Explain(err)
}

// versions returns the versions of at most limit jobs with IDs after one, ordered by ID.
func (r *reader) versions(ctx context.Context, types []int64, after int64, limit int) (all []model.ObjectVersion, err error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	err = model.EachVersion(ctx, r.db, after, limit, conditions(types), func(v model.ObjectVersion) { all = append(all, v) })
	return all, r.db.Explain(err)
}

// last returns the largest number of an object.
func (r *reader) last(ctx context.Context) (int64, error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	id, err := model.LastObject(ctx, r.db)
	return id, r.db.Explain(err)
}

// feed returns the rows of the feed after one position and up to another.
func (r *reader) feed(ctx context.Context, after, upTo feed.Position) (all []model.FeedRow, err error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	err = model.ReadFeed(ctx, r.db, int64(after), int64(upTo), model.FeedFilter{Divisor: 1}, func(f model.FeedRow) { all = append(all, f) })
	return all, r.db.Explain(err)
}

// byID returns those of some objects that exist and are jobs. It calls owner with the UIDs of the
// controllers of those that are pods; owner may be nil.
func (r *reader) byID(ctx context.Context, ids []int64, owner func(uid string)) ([]Job, error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	var objects []model.ListedObject
	err := model.ObjectsWith(ctx, r.db, ids, func(o model.ListedObject) {
		if o.Version > 0 && job.IsJobType(o.Type.String()) && !slices.Contains(job.Parents(), o.Owner.Kind) {
			objects = append(objects, o)
		}
		if uid := ownerOfPod(&o); uid != "" && owner != nil {
			owner(uid)
		}
	})
	if err != nil {
		return nil, r.db.Explain(err)
	}
	return r.completed(ctx, objects)
}

// completed is complete as one unit of work.
func (r *reader) completed(ctx context.Context, objects []model.ListedObject) ([]Job, error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	jobs, err := r.complete(ctx, objects)
	return jobs, r.db.Explain(err)
}

// complete returns the jobs of objects, with their lives and labels.
func (r *reader) complete(ctx context.Context, objects []model.ListedObject) ([]Job, error) {
	jobs, ids, byID := make([]Job, len(objects)), make([]int64, len(objects)), make(map[int64]*Job, len(objects))
	for i := range objects {
		jobs[i], ids[i] = jobOf(&objects[i]), objects[i].ID
		byID[ids[i]] = &jobs[i]
	}
	slices.Sort(ids)
	err := model.EachTransition(ctx, r.db, ids, func(object int64, t job.Transition) {
		j := byID[object]
		j.Transitions = append(j.Transitions, t)
	})
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		jobs[i].outcome()
	}
	labels, err := model.LabelsOf(ctx, r.db, ids)
	for i := range jobs {
		jobs[i].Labels = labels[jobs[i].ID]
	}
	if err != nil {
		return jobs, err
	}
	return jobs, addPodStates(ctx, r.db, jobs)
}

// outcome sets the state of a job that ended before its object was deleted to its outcome.
func (j *Job) outcome() {
	if t, ended := job.Outcome(j.Transitions); ended && j.State == job.Deleted && t.To != job.Deleted {
		j.State, j.Since, j.Reason = t.To, t.At, t.Reason
	}
}

func jobOf(o *model.ListedObject) Job {
	submitted := o.CreatedAt
	if submitted == 0 {
		submitted = o.SeenAt
	}
	return Job{
		ID: o.ID, Cluster: o.Cluster, ClusterUID: o.ClusterUID, Type: o.Type.String(), Kind: o.Type.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID,
		Queue: o.Queue, Owner: o.Submitter, State: job.State(o.State), Reason: o.Reason, Since: model.Time(o.Since), Submitted: model.Time(submitted),
		Deleted: model.Time(o.DeletedAt), Presence: o.Presence, Version: o.Version, BodyFacts: noBodyFacts,
	}
}

// readBodies sets the facts from the bodies of jobs. A body that retention has removed, or that
// is damaged, leaves GPUs and Pods unknown.
func (r *reader) readBodies(ctx context.Context, jobs []Job) error {
	err := r.asksOf(ctx, jobs)
	if err == nil || len(jobs) == 0 || ctx.Err() != nil {
		return err
	}
	for i := range jobs {
		if r.asksOf(ctx, jobs[i:i+1]) != nil {
			if _, outage := r.last(ctx); outage != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) asksOf(ctx context.Context, jobs []Job) error {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	ids := make([]model.RevisionID, len(jobs))
	for i := range jobs {
		ids[i] = model.RevisionID{Object: jobs[i].ID, Version: jobs[i].Version}
	}
	all, err := r.bodies.ReadMany(ctx, r.db, ids)
	if err != nil {
		return r.db.Explain(err)
	}
	for i := range jobs {
		j := &jobs[i]
		if body := all[j.ID]; body != nil {
			spec := job.ParseSpec(body)
			j.BodyFacts = BodyFacts{GPUs: spec.GPUs, Pods: spec.Pods, Attempt: spec.AttemptOf(j.State == job.Failed), Priority: spec.Priority}
			j.Queue = cmp.Or(j.Queue, spec.Queue)
		}
	}
	return nil
}

// gapsAtOnce is the number of gaps per query, and maxGaps the maximum number in the index.
const (
	gapsAtOnce = 1000
	maxGaps    = 10_000
)

// gaps returns the newest open gaps, in the order in which they were recorded.
func (r *reader) gaps(ctx context.Context) (all []history.Gap, err error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	h := history.New(r.db)
	p := history.Paging{Limit: gapsAtOnce}
	for len(all) < maxGaps {
		page, err := h.ListGaps(ctx, history.GapFilter{Open: true}, p)
		if err != nil {
			return nil, r.db.Explain(err)
		}
		all = append(all, page.Items...)
		if p.After = page.Next; p.After == "" {
			break
		}
	}
	slices.Reverse(all)
	return all, nil
}
