package jobstatus_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	os.Exit(code)
}

// setLabel is the label by which a JobSet marks its pods.
const setLabel = "jobset.sigs.k8s.io/jobset-name"

// types are the types of objects, by their kind.
var types = map[string]model.Type{
	"JobSet": {Group: "jobset.x-k8s.io", Resource: "jobsets", Kind: "JobSet"}, "Job": {Group: "batch", Resource: "jobs", Kind: "Job"},
	"ReplicaSet": {Group: "apps", Resource: "replicasets", Kind: "ReplicaSet"}, "Pod": {Resource: "pods", Kind: "Pod"},
}

// world is a database, and what a test has written to it.
type world struct {
	*modeltest.Database
	scopes  map[string]model.Scope // by kind
	version wire.Version
	deleted map[string]bool
	outbox  int64
	stored  map[string]string // statuses of the feed, by job
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	w := &world{Database: modeltest.Open(t, url), scopes: map[string]model.Scope{}}
	err := w.Transact(t.Context(), func(tx *sqldb.Tx) error {
		for kind, of := range types {
			id, err := model.EnsureResource(t.Context(), tx, of)
			if err != nil {
				return err
			}
			w.scopes[kind] = model.Scope{Cluster: w.Scope.Cluster, Resource: id}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) reset() {
	w.Clear()
	w.version, w.outbox, w.deleted, w.stored = 0, 0, map[string]bool{}, map[string]string{}
}

// object is an object of the model: "JobSet/0".
type object struct {
	kind, name string
	owner      string // kind and name
	set        string // value of the label of a JobSet
}

// objects are the objects of the model. Their owners are written before or after them.
var objects = []object{
	{kind: "JobSet", name: "set"},
	{kind: "Job", name: "child", owner: "JobSet/set"},
	{kind: "Job", name: "job"},
	{kind: "ReplicaSet", name: "rs", owner: "Job/job"},
	{kind: "Pod", name: "a", owner: "Job/job"},
	{kind: "Pod", name: "b", owner: "ReplicaSet/rs"},
	{kind: "Pod", name: "c", owner: "Job/child"},
	{kind: "Pod", name: "d", set: "set"},
	{kind: "Pod", name: "e", owner: "Job/job", set: "set"},
	{kind: "Pod", name: "f"},
}

// observation returns a revision of an object with a status.
func (w *world) observation(o *object, s job.Status) observe.Observation {
	w.version++
	seen := time.Unix(1_772_000_000+int64(w.version), 0)
	r := observe.Observation{
		UID: o.kind + "/" + o.name, Name: o.name, Namespace: "ml", Version: w.version, Created: time.Unix(1_772_000_003, 0), Seen: seen, Source: model.Watched,
		Body: fmt.Appendf(nil, "{%d}", w.version), Status: s, Pod: o.kind == "Pod",
	}
	for i := range objects {
		if p := &objects[i]; p.kind+"/"+p.name == o.owner {
			r.Owner = model.Owner{UID: o.owner, Kind: p.kind, Name: p.name}
		}
	}
	if o.set != "" {
		r.Labels = map[string]string{setLabel: o.set}
	}
	if o.kind == "JobSet" || o.kind == "Job" {
		r.OfJob, r.Facts = true, &job.Facts{Attempt: int(w.version) % 3}
	}
	if o.kind == "JobSet" {
		r.Facts.PodLabel, r.Facts.PodLabelValue = setLabel, o.name
	}
	return r
}

// write writes observations of one kind in a transaction.
func (w *world) write(ctx context.Context, tx *sqldb.Tx, kind string, all ...observe.Observation) error {
	s := w.scopes[kind]
	_, err := batch.Write(ctx, tx, s, bodies.NewEncoder(s.Resource, 1<<20), all)
	return err
}

// drawStatus draws a status, of which pods and jobs have the same words.
func drawStatus(t *rapid.T) job.Status {
	s := job.Status{State: rapid.SampledFrom([]job.State{job.Submitted, job.Queued, job.Starting, job.Running, job.Restarting, job.Suspended, job.Succeeded, job.Failed}).Draw(t, "state")}
	if !s.State.Final() {
		s.Reason = rapid.SampledFrom([]string{"", "", "Unschedulable", "CrashLoopBackOff", "ImagePullBackOff"}).Draw(t, "reason")
		s.Message = rapid.SampledFrom([]string{"", "first", "second"}).Draw(t, "message")
	}
	if at := rapid.IntRange(0, 5).Draw(t, "at"); at > 0 {
		s.At = time.Unix(1_772_000_000+int64(at), 0)
	}
	return s
}

// step draws one change, and makes it in a transaction.
func (w *world) step(t *rapid.T, tx *sqldb.Tx) error {
	ctx := context.Background()
	switch action := rapid.IntRange(0, 11).Draw(t, "action"); action {
	case 0:
		s := w.scopes[rapid.SampledFrom([]string{"Pod", "Job", "JobSet"}).Draw(t, "scope")]
		presences := []model.Presence{model.Present, model.Unknown}
		from := rapid.IntRange(0, 1).Draw(t, "from")
		return jobstatus.SetPresence(ctx, tx, s, presences[from], presences[1-from])
	case 1:
		o := rapid.SampledFrom(objects).Draw(t, "unselected")
		return jobstatus.Unselect(ctx, tx, w.scopes[o.kind], []string{o.kind + "/" + o.name})
	case 2, 3:
		o := rapid.SampledFrom(objects).Draw(t, "deleted")
		r := w.observation(&o, job.Status{State: job.Deleted})
		if w.deleted[r.UID] = true; action == 3 {
			r = observe.MissedDeletion(wire.Key{Namespace: r.Namespace, Name: r.Name}, r.UID, r.Version-1, r.Version, r.Seen, model.Inferred)
		}
		r.Deleted = true
		return w.write(ctx, tx, o.kind, r)
	}
	kind := rapid.SampledFrom([]string{"JobSet", "Job", "Job", "ReplicaSet", "Pod", "Pod", "Pod", "Pod"}).Draw(t, "kind")
	var some []observe.Observation
	for range rapid.IntRange(1, 4).Draw(t, "revisions") {
		of := slices.DeleteFunc(slices.Clone(objects), func(o object) bool { return o.kind != kind })
		o := rapid.SampledFrom(of).Draw(t, "object")
		r := w.observation(&o, drawStatus(t))
		if late := rapid.IntRange(0, 5).Draw(t, "late"); late == 0 && r.Version > 4 {
			r.Version -= 3
		}
		if rapid.IntRange(0, 8).Draw(t, "relabeled") == 0 && kind == "Pod" {
			r.Labels = map[string]string{"team": fmt.Sprint(r.Version)}
		}
		some = append(some, r)
	}
	return w.write(ctx, tx, kind, some...)
}

// check compares the stored statuses with those that follow from all rows, and the changes with
// the entries of the feed.
func (w *world) check(t *rapid.T) {
	ctx := context.Background()
	pods := map[string][]job.Status{}
	err := w.Query(ctx, "SELECT j.uid, o.state, o.reason, o.message, o.since FROM job_parts p JOIN objects o ON o.id = p.object_id JOIN objects j ON j.id = p.job_id WHERE o.presence = 0 AND o.uid LIKE 'Pod/%'", nil, func(rows *sql.Rows) error {
		var uid string
		var at int64
		var s job.Status
		err := rows.Scan(&uid, &s.State, &s.Reason, &s.Message, &at)
		s.At = model.Time(at)
		pods[uid] = append(pods[uid], s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]bool{}
	err = w.Query(ctx, "SELECT o.uid, f.id FROM feed_outbox f JOIN objects o ON o.id = f.object_id WHERE f.id > ?", []any{w.outbox}, func(rows *sql.Rows) error {
		var uid string
		var id int64
		err := rows.Scan(&uid, &id)
		entries[uid], w.outbox = true, max(w.outbox, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	const query = "SELECT o.uid, o.presence, o.created_at, o.state, o.reason, o.message, o.since, j.state, j.reason, j.message, j.since, j.entered_at FROM jobs j JOIN objects o ON o.id = j.object_id"
	err = w.Query(ctx, query, nil, func(rows *sql.Rows) error {
		var uid string
		var presence, created, since int64
		var own job.Status
		var got model.JobStatus
		if err := rows.Scan(&uid, &presence, &created, &own.State, &own.Reason, &own.Message, &since, &got.State, &got.Reason, &got.Message, &got.Since, &got.EnteredAt); err != nil {
			return err
		}
		own.At = model.Time(since)
		of := pods[uid]
		slices.SortFunc(of, func(x, y job.Status) int {
			return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.State, y.State), cmp.Compare(x.Reason, y.Reason), cmp.Compare(x.Message, y.Message))
		})
		s := own
		if presence == 0 {
			s = own.WithPods(of)
		}
		want := model.JobStatus{State: string(s.State), Reason: s.Reason, Message: s.Message, Since: since, EnteredAt: since}
		if s.State != own.State && s.At.After(model.Time(created)) {
			want.Since = model.Micros(s.At)
		}
		if got != want {
			t.Fatalf("%s has the status %+v, want %+v: its own is %+v, and its pods have %+v", uid, got, want, own, of)
		}
		shown := fmt.Sprint(got.State, " ", got.Reason, " ", got.Since)
		if shown != w.stored[uid] && !entries[uid] {
			t.Fatalf("%s changed from %q to %q without an entry of the feed", uid, w.stored[uid], shown)
		}
		w.stored[uid] = shown
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDecide: after each transaction, in whatever order jobs, pods and what is between them are
// written, deleted and linked, the stored status of each job is the one that follows from all rows,
// and the feed has an entry if it is another one.
func TestDecide(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		modeltest.Check(t, func(t *rapid.T) {
			w.reset()
			var s parts.Sweeper
			for range rapid.IntRange(1, 12).Draw(t, "transactions") {
				err := w.Transact(context.Background(), func(tx *sqldb.Tx) error {
					for range rapid.IntRange(1, 3).Draw(t, "changes") {
						if err := w.step(t, tx); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				w.check(t)
				if rapid.IntRange(0, 3).Draw(t, "sweep") == 0 {
					if err := s.Sweep(context.Background(), w.DB); err != nil {
						t.Fatal(err)
					}
					w.check(t)
				}
			}
		})
	})
}
