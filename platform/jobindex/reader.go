package jobindex

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// reader reads jobs from the database.
type reader struct{ db *sqldb.DB }

// ids returns the IDs of at most limit jobs that are greater than one, sorted.
func (r *reader) ids(ctx context.Context, after int64, limit int) ([]int64, error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	ids, err := model.JobIDs(ctx, r.db, after, limit)
	return ids, r.db.Explain(err)
}

// versions returns the versions of at most limit jobs with IDs after one, ordered by ID.
func (r *reader) versions(ctx context.Context, after int64, limit int) (all []model.ObjectVersion, err error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	err = model.EachJobVersion(ctx, r.db, after, limit, func(v model.ObjectVersion) { all = append(all, v) })
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

// byID returns those of some objects that exist and are jobs, with their lives and labels.
func (r *reader) byID(ctx context.Context, ids []int64) (jobs []Job, err error) {
	ctx, done := r.db.Bounded(ctx)
	defer done()
	facts, err := model.FactsOf(ctx, r.db, ids)
	if err != nil {
		return nil, r.db.Explain(err)
	}
	own := map[int64]job.State{}
	err = model.JobsWith(ctx, r.db, ids, func(j model.ListedJob) {
		if j.Version > 0 {
			jobs = append(jobs, jobOf(&j.ListedObject, facts[j.ID]))
			own[j.ID] = job.State(j.OwnState)
		}
	})
	if err == nil {
		err = r.complete(ctx, jobs, own)
	}
	return jobs, r.db.Explain(err)
}

// complete adds the lives and the labels of jobs. own has the states of their objects.
func (r *reader) complete(ctx context.Context, jobs []Job, own map[int64]job.State) error {
	ids, byID := make([]int64, len(jobs)), make(map[int64]*Job, len(jobs))
	for i := range jobs {
		ids[i], byID[jobs[i].ID] = jobs[i].ID, &jobs[i]
	}
	slices.Sort(ids)
	err := model.EachTransition(ctx, r.db, ids, func(object int64, t job.Transition) {
		j := byID[object]
		j.Transitions = append(j.Transitions, t)
	})
	if err != nil {
		return err
	}
	for i := range jobs {
		jobs[i].outcome()
		jobs[i].decided(own[jobs[i].ID])
	}
	labels, err := model.LabelsOf(ctx, r.db, ids)
	for i := range jobs {
		jobs[i].Labels = labels[jobs[i].ID]
	}
	return err
}

// outcome sets the state of a job that ended before its object was deleted to its outcome.
func (j *Job) outcome() {
	if t, ended := job.Outcome(j.Transitions); ended && j.State == job.Deleted && t.To != job.Deleted {
		j.State, j.Since, j.Reason = t.To, t.At, t.Reason
	}
}

// decided adds a state that only the pods show to the life of the job, as its last change. own is the
// state of the object. A later transition is read again, with the entry that the feed has for it.
func (j *Job) decided(own job.State) {
	if n := len(j.Transitions); j.State != own && !j.State.Final() && n > 0 && j.Transitions[n-1].To == own {
		j.Transitions = append(j.Transitions, job.Transition{To: j.State, At: j.Since})
	}
}

func jobOf(o *model.ListedObject, facts *job.Facts) Job {
	submitted := o.CreatedAt
	if submitted == 0 {
		submitted = o.SeenAt
	}
	return Job{
		ID: o.ID, Cluster: o.Cluster, ClusterUID: o.ClusterUID, Type: o.Type.String(), Kind: o.Type.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID,
		Queue: o.Queue, Owner: o.Submitter, State: job.State(o.State), Reason: o.Reason, Since: model.Time(o.Since), Submitted: model.Time(submitted),
		Deleted: model.Time(o.DeletedAt), Presence: o.Presence, Version: o.Version, Facts: facts,
	}
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
