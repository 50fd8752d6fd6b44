package recordworld

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/indextest"
	"github.com/vedette-io/vedette/wire"
)

const (
	watchedJobs = 40
	// watchedEvery is the ratio of all transitions to those of watched jobs.
	watchedEvery = 50
	// openJobs is the default of Writer.Open.
	openJobs = 3000
)

// Writer writes transitions like a recorder of one type of jobs. New jobs are submitted,
// wait, start, run and end, with five transitions each.
type Writer struct {
	// Open is the number of open jobs in addition to the watched ones. Default: 3,000.
	// Change it only before the first call of Write. With more jobs, each job takes longer.
	Open int

	db      *sqldb.DB
	places  places
	world   *indextest.World
	begun   time.Time
	made    int // jobs
	count   int // transitions
	version wire.Version
	open    []*moving // longest wait first
	watched []*moving
}

// moving is a job of a Writer.
type moving struct {
	jobindex.Job
	id      int64 // 0: not stored yet
	watched bool
}

// NewWriter returns a Writer for a database that Fill has filled.
//
// Errors: those of the database.
func NewWriter(ctx context.Context, db *sqldb.DB) (*Writer, error) {
	now := time.Now()
	p, err := placesOf(ctx, db, now)
	if err != nil {
		return nil, err
	}
	// Versions and seeds differ from those of earlier writers.
	return &Writer{Open: openJobs, db: db, places: p, world: indextest.NewWorld(uint64(now.UnixNano()), 1, now), begun: now, version: wire.Version(now.UnixMicro())}, nil
}

// Watched returns the queue of 40 jobs that the Writer submits first and never ends. They
// restart and run in turn.
func (w *Writer) Watched() string { return "queue-watched-" + w.begun.Format("150405") }

// Write commits up to n transitions in one transaction, at most one for each job, and
// returns their number.
//
// Errors: those of the database. After an error, the Writer is unusable.
func (w *Writer) Write(ctx context.Context, n int) (int, error) {
	some := map[string]*moving{} // by UID: one transition of each job
	for range n {
		j := w.next(some)
		if j == nil {
			break
		}
		w.advance(j)
		some[j.UID] = j
	}
	var b batch
	return len(some), w.db.Transact(ctx, func(tx *sqldb.Tx) error { return w.store(ctx, tx, &b, some) })
}

// next returns the job of the next transition.
func (w *Writer) next(taken map[string]*moving) *moving {
	w.count++
	if w.count%watchedEvery == 0 || len(w.watched) < watchedJobs {
		if len(w.watched) < watchedJobs {
			j := w.submit()
			j.Queue, j.watched = w.Watched(), true
			w.watched = append(w.watched, j)
			return j
		}
		j := w.watched[w.count/watchedEvery%watchedJobs]
		if taken[j.UID] == nil {
			return j
		}
	}
	if len(w.open) < w.Open {
		j := w.submit()
		w.open = append(w.open, j)
		return j
	}
	j := w.open[0]
	if w.open = w.open[1:]; j.State != job.Running {
		w.open = append(w.open, j)
	}
	return j
}

// submit returns a new job without a transition.
func (w *Writer) submit() *moving {
	j := w.world.Job(0)
	w.made++
	j.Cluster, j.Type, j.Kind, j.Transitions, j.State = "cluster-1", "jobs.batch", "Job", nil, ""
	j.Name = fmt.Sprintf("%s-%s-%d", strings.TrimRight(j.Name, "0123456789abcdef-"), w.begun.Format("150405"), w.made)
	j.UID = fmt.Sprintf("%s-%012x", j.UID[:23], w.made)
	j.Labels["batch.kubernetes.io/job-name"], j.Labels["controller-uid"] = j.Name, j.UID
	j.Reason = ""
	return &moving{Job: j}
}

// advance gives a job its next transition.
func (w *Writer) advance(j *moving) {
	now := time.Now()
	next := map[job.State]job.State{"": job.Submitted, job.Submitted: job.Queued, job.Queued: job.Starting, job.Starting: job.Running, job.Running: job.Succeeded, job.Restarting: job.Running}[j.State]
	if j.watched && j.State == job.Running {
		next = job.Restarting
	}
	if j.State == "" {
		j.Submitted = now
	}
	w.version++
	j.Version, j.State, j.Since = w.version, next, now
	j.Transitions = append(j.Transitions, job.Transition{To: next, At: now})
}

// store writes the last transitions of some jobs, with the statements of a recorder.
func (w *Writer) store(ctx context.Context, tx *sqldb.Tx, b *batch, some map[string]*moving) error {
	uids := slices.Sorted(maps.Keys(some))
	var created []model.NewObject
	for _, uid := range uids {
		if j := some[uid]; j.id == 0 {
			created = append(created, model.NewObject{Attributes: w.attributes(j), Name: j.Name, UID: uid, CreatedAt: j.Submitted.UnixMicro(), SeenAt: j.Submitted.UnixMicro()})
		}
	}
	if err := model.InsertObjects(ctx, tx, created); err != nil {
		return err
	}
	var updates []model.ObjectUpdate
	var feed []model.FeedEntry
	err := model.LockObjects(ctx, tx, w.places.clusters["cluster-1"], w.places.resources["jobs.batch"], uids, func(o *model.Object) error {
		j := some[o.UID]
		j.id = o.ID
		a := w.attributes(j)
		at := j.Since.UnixMicro()
		body := bodyOf(&j.Job)
		b.step(o.ID, o.State, &step{state: j.State, raw: string(j.State), at: at, version: j.Version, body: body}, false)
		b.index(&a, o.ID, at)
		if o.Version == 0 {
			for name, value := range j.Labels {
				b.labels = append(b.labels, model.Label{ObjectID: o.ID, Name: name, Value: value})
			}
			b.jobs = append(b.jobs, model.JobRow{ObjectID: o.ID, Facts: factsOf(body, j.State)})
		}
		u := model.ObjectUpdate{ID: o.ID, Version: j.Version, AttributesHash: a.Hash(), Base: j.Version}
		u.State, u.RawState, u.Since = string(j.State), string(j.State), at
		updates = append(updates, u)
		feed = append(feed, model.FeedEntry{RevisionID: model.RevisionID{Object: o.ID, Version: j.Version}, Kind: model.FeedNew})
		return nil
	})
	if err != nil {
		return err
	}
	if err := b.store(ctx, tx); err != nil {
		return err
	}
	slices.SortFunc(updates, func(x, y model.ObjectUpdate) int { return int(x.ID - y.ID) })
	if err := model.UpdateObjects(ctx, tx, updates, nil); err != nil {
		return err
	}
	ids := make([]int64, len(updates))
	for i := range updates {
		ids[i] = updates[i].ID
	}
	if _, err := jobstatus.Decide(ctx, tx, ids); err != nil {
		return err
	}
	return model.InsertOutbox(ctx, tx, feed)
}

func (w *Writer) attributes(j *moving) model.Attributes {
	return model.Attributes{
		Cluster: w.places.clusters[j.Cluster], Resource: w.places.resources[j.Type], Namespace: j.Namespace, Queue: j.Queue, Submitter: j.Owner, Labels: j.Labels,
	}
}
