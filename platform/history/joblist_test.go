package history_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// drawJobs draws the revisions of some jobs, of pods, and of children of jobs.
func drawJobs(t *rapid.T) (all []revision) {
	one := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	states := []job.State{job.Submitted, job.Queued, job.Running, job.Restarting, job.Succeeded, job.Failed, job.Aborted, ""}
	version := wire.Version(1)
	for i := range rapid.IntRange(1, 25).Draw(t, "objects") {
		r := revision{
			Cluster: 1, Resource: int64(rapid.IntRange(1, 3).Draw(t, "type")), Namespace: one("namespace", "ml", "web"), Name: fmt.Sprint("job-", i), UID: fmt.Sprintf("uid-%02d", i),
			Owner: one("owner", "", "", "", "parent"), Submitter: one("user", "", "ann", "bob"), Labels: map[string]string{"team": one("team", "x", "y")},
		}
		at := begin.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * 20 * time.Minute)
		for range rapid.IntRange(1, 6).Draw(t, "revisions") {
			version++
			at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "later")) * 30 * time.Minute)
			r.Version, r.Seen, r.State = version, at, rapid.SampledFrom(states).Draw(t, "state")
			all = append(all, r)
		}
		if rapid.Bool().Draw(t, "deleted") {
			version++
			r.Version, r.State, r.Seen = version, job.Deleted, at.Add(time.Duration(rapid.IntRange(0, 1).Draw(t, "deletion"))*time.Hour)
			all = append(all, r)
		}
	}
	return all
}

// wantedJob is an expected row of the list.
type wantedJob struct {
	uid, text string
	open      bool
	at        time.Time
	version   wire.Version
}

// wantJobs lists jobs in the naive way, from all revisions.
func wantJobs(all []revision, f history.Filter) (names []string) {
	byUID := map[string][]revision{}
	var uids []string
	for _, r := range all {
		if byUID[r.UID] == nil {
			uids = append(uids, r.UID)
		}
		byUID[r.UID] = append(byUID[r.UID], r)
	}
	var rows []wantedJob
	for _, uid := range uids {
		of := byUID[uid]
		last := of[len(of)-1]
		if last.Resource == 1 || last.Owner != "" || f.Namespace != "" && f.Namespace != last.Namespace || f.Submitter != "" && f.Submitter != last.Submitter {
			continue
		}
		if f.Labels != nil && !f.Labels.Matches(labels.Set(last.Labels)) {
			continue
		}
		shown := last
		if last.State == job.Deleted && len(of) > 1 && of[len(of)-2].State.Final() {
			shown = of[len(of)-2]
		}
		row := wantedJob{uid: uid, open: !shown.State.Final(), text: fmt.Sprint(uid, " ", shown.State), at: of[0].Seen, version: shown.Version}
		for i := len(of) - 1; !row.open && i >= 0; i-- { // when it entered the state
			if of[i].State != shown.State {
				if of[i].State == job.Deleted {
					continue
				}
				break
			}
			row.at = of[i].Seen
		}
		if f.States != nil && !slices.Contains(f.States, shown.State) || !row.open && row.at.Before(f.Since) {
			continue
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(x, y wantedJob) int {
		if x.open != y.open {
			return map[bool]int{true: -1, false: 1}[x.open]
		}
		return cmp.Or(y.at.Compare(x.at), cmp.Compare(y.uid, x.uid), cmp.Compare(y.version, x.version))
	})
	for _, r := range rows {
		names = append(names, r.text)
	}
	return names
}

// TestJobsAgainstModel: the pages of the list of jobs contain each job once, in order, with
// the state in which it is or with its outcome.
func TestJobsAgainstModel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		ctx := t.Context()
		modeltest.Check(t, func(t *rapid.T) {
			clearObjects(t, ctx, db)
			all := drawJobs(t)
			if err := write(ctx, db, all); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				var f history.Filter
				seldom := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, what) == 0 }
				if seldom("by namespace") {
					f.Namespace = "ml"
				}
				if seldom("by submitter") {
					f.Submitter = "ann"
				}
				if seldom("by label") {
					f.Labels, _ = history.ParseLabels(rapid.SampledFrom([]string{"team=x", "team!=x", "team notin (y)", "!team"}).Draw(t, "selector"))
				}
				if seldom("by state") {
					f.States = []job.State{job.Running, job.Failed, job.Deleted}[rapid.IntRange(0, 2).Draw(t, "states"):]
				}
				if seldom("since") {
					f.Since = begin.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "since")) * 10 * time.Minute)
				}
				h := history.New(db).WithLimits(rapid.IntRange(1, 100).Draw(t, "rows"), rapid.IntRange(1, 10).Draw(t, "entries"))
				p := history.Paging{Limit: rapid.IntRange(1, 8).Draw(t, "limit")}
				got := readAll(t, ctx, p, func(ctx context.Context, p history.Paging) (history.Page[history.Job], error) {
					page, err := h.ListJobs(ctx, f, p, begin.Add(1000*time.Hour))
					return page.Page, err
				}, func(j history.Job) string { return j.UID + " " + j.State })
				if want := wantJobs(all, f); !slices.Equal(got, want) {
					t.Fatalf("jobs of %+v\n got %q\nwant %q", f, got, want)
				}
			}
		})
	})
}

// TestJobCursors checks that cursors of other lists and malformed cursors are refused.
func TestJobCursors(t *testing.T) {
	h := history.New(open(t, dbtest.Empty(t, "sqlite")))
	for _, c := range []history.Cursor{"x", "bjEuMQ", "eA", "bw=="} {
		if _, err := h.ListJobs(t.Context(), history.Filter{}, history.Paging{After: c}, begin); !errors.Is(err, history.ErrCursor) {
			t.Errorf("cursor %q: got %v, want ErrCursor", c, err)
		}
	}
}

// TestJobEndsBetweenQueries: a job that ends while a page is read is in it once, as ended.
func TestJobEndsBetweenQueries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		of := revision{Cluster: 1, Resource: 2, Namespace: "ml", Name: "train", UID: "u", Version: 1, State: job.Running, Seen: begin}
		stays := revision{Cluster: 1, Resource: 2, Namespace: "ml", Name: "stays", UID: "v", Version: 1, State: job.Running, Seen: begin}
		if err := write(t.Context(), db, []revision{of, stays}); err != nil {
			t.Fatal(err)
		}
		page, err := history.New(db).ListJobsAround(t.Context(), history.Filter{}, history.Paging{}, begin.Add(time.Hour), func() {
			of.Version, of.State, of.Seen = 2, job.Succeeded, begin.Add(time.Minute)
			if err := end(t.Context(), db, of); err != nil {
				t.Fatal(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, j := range page.Items {
			got = append(got, j.Name+" "+j.State)
		}
		if want := []string{"stays Running", "train Succeeded"}; !slices.Equal(got, want) || page.Open[job.Running] != 1 {
			t.Errorf("got %v with %v open, want %v with 1 Running", got, page.Open, want)
		}
	})
}

// end stores the end of a job that runs.
func end(ctx context.Context, db *sqldb.DB, r revision) error {
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		var id int64
		err := model.LockObjects(ctx, tx, r.Cluster, r.Resource, []string{r.UID}, func(o *model.Object) error {
			id = o.ID
			return nil
		})
		if err != nil {
			return err
		}
		update := model.ObjectUpdate{ID: id, Version: r.Version}
		update.State, update.Since = string(r.State), model.Micros(r.Seen)
		t := model.Transition{ObjectID: id, Version: r.Version, From: string(job.Running), To: string(r.State), HappenedAt: update.Since, SeenAt: update.Since, Source: model.Watched}
		return cmp.Or(
			model.UpdateObjects(ctx, tx, []model.ObjectUpdate{update}, nil),
			model.InsertTransitions(ctx, tx, []model.Transition{t}),
		)
	})
}
