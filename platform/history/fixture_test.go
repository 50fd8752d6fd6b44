package history_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// open opens an empty database with two clusters, "a" and "b", and three types: pods, jobs,
// and jobs of Volcano. Their row IDs are 1, 2 and 3.
func open(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		for _, name := range []string{"a", "b"} {
			if _, err := model.EnsureCluster(t.Context(), tx, "uid-"+name, name, time.Time{}); err != nil {
				return err
			}
		}
		for _, of := range []model.Type{{Resource: "pods", Kind: "Pod"}, {Group: "batch", Resource: "jobs", Kind: "Job"}, {Group: "batch.volcano.sh", Resource: "jobs", Kind: "Job"}} {
			if _, err := model.EnsureResource(t.Context(), tx, of); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// begin is the time at which tests begin.
var begin = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// revision is a revision of an object, with its attributes.
type revision struct {
	Cluster, Resource       int64 // numbers
	Namespace, Name, UID    string
	Version                 wire.Version
	State                   job.State
	Seen                    time.Time
	Owner, Queue, Submitter string // the owner: the name of a Job
	Labels                  map[string]string
	Facts                   *job.Facts // of a job
}

// attributes returns the attributes of the object at this revision.
func (r *revision) attributes() model.Attributes {
	a := model.Attributes{Cluster: r.Cluster, Resource: r.Resource, Namespace: r.Namespace, Queue: r.Queue, Submitter: r.Submitter, Labels: r.Labels}
	if r.Owner != "" {
		a.Owner = model.Owner{UID: "uid-" + r.Owner, Kind: "Job", Name: r.Owner}
	}
	return a
}

// write stores the revisions of new objects like a recorder, without bodies. The transition
// index also gets stale entries, for former attributes of an object.
func write(ctx context.Context, db *sqldb.DB, all []revision) error {
	byUID := map[string][]revision{}
	for _, r := range all {
		byUID[r.UID] = append(byUID[r.UID], r)
	}
	err := db.Transact(ctx, func(tx *sqldb.Tx) error {
		for _, uid := range slices.Sorted(maps.Keys(byUID)) {
			revisions := byUID[uid]
			slices.SortFunc(revisions, func(x, y revision) int { return cmp.Compare(x.Version, y.Version) })
			if err := writeObject(ctx, tx, revisions); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return modeltest.Link(ctx, db)
}

func writeObject(ctx context.Context, tx *sqldb.Tx, revisions []revision) error {
	first, last := revisions[0], revisions[len(revisions)-1]
	created := model.NewObject{Attributes: last.attributes(), Name: last.Name, UID: last.UID, SeenAt: model.Micros(first.Seen)}
	if err := model.InsertObjects(ctx, tx, []model.NewObject{created}); err != nil {
		return err
	}
	var id int64
	err := model.LockObjects(ctx, tx, last.Cluster, last.Resource, []string{last.UID}, func(o *model.Object) error {
		id = o.ID
		return nil
	})
	if err != nil {
		return err
	}
	var stored []model.Revision
	var transitions []model.Transition
	hours, terms := map[int64]bool{}, map[model.Term]bool{}
	var before model.Transition
	for i, r := range revisions {
		stored = append(stored, model.Revision{ObjectID: id, Version: r.Version, Deleted: r.State == job.Deleted, Source: model.Watched, SeenAt: model.Micros(r.Seen), State: string(r.State)})
		attributes := r.attributes()
		for _, t := range attributes.Terms() {
			terms[t] = true
		}
		if i > 0 && string(r.State) == before.To {
			continue
		}
		at := max(model.Micros(r.Seen), before.HappenedAt)
		before = model.Transition{ObjectID: id, Version: r.Version, From: before.To, To: string(r.State), HappenedAt: at, SeenAt: model.Micros(r.Seen), Source: model.Watched}
		transitions = append(transitions, before)
		hours[model.HourOf(at)] = true
	}
	update := model.ObjectUpdate{ID: id, Version: last.Version}
	if update.State, update.Since = before.To, before.HappenedAt; last.State == job.Deleted {
		update.Presence, update.DeletedAt = model.Deleted, model.Micros(last.Seen)
	}
	var jobs []model.JobRow
	if last.Facts != nil {
		jobs = append(jobs, model.JobRow{ObjectID: id, Facts: last.Facts})
	}
	var labels []model.Label
	for name, value := range last.Labels {
		labels = append(labels, model.Label{ObjectID: id, Name: name, Value: value})
	}
	var entries []model.IndexEntry
	for term := range terms {
		for hour := range hours {
			entries = append(entries, model.IndexEntry{Term: term, Hour: hour, Object: id})
		}
	}
	return cmp.Or(
		model.UpdateObjects(ctx, tx, []model.ObjectUpdate{update}, nil),
		model.InsertRevisions(ctx, tx, stored),
		model.InsertTransitions(ctx, tx, transitions),
		model.InsertLabels(ctx, tx, labels),
		model.InsertIndexEntries(ctx, tx, entries),
		model.InsertJobs(ctx, tx, jobs),
	)
}
