package jobindex_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// TestRunModel: after any history, with late, corrected and withdrawn transitions, the
// rows of the index equal those of package history. A newly loaded index has the same
// rows.
func TestRunModel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := modeltest.Open(t, url)
		h := history.New(db.DB)
		modeltest.Check(t, func(rt *rapid.T) {
			db.Clear()
			db.Exec("DELETE FROM gaps")
			r := &recorded{Database: db, drawing: drawing{rt}, ctx: t.Context()}
			following := map[int64]job.State{} // derived from the changes
			x := jobindex.New(jobindex.Config{DB: db.DB, Changed: func(all []jobindex.Change) { follow(r, following, all) }})
			runner := jobindex.NewRunner(x)
			if rapid.Bool().Draw(rt, "from the beginning") {
				settle(r, runner, false)
			} else {
				following = nil
			}
			for range r.n("steps", 1, 4) {
				beside := false
				switch r.n("step", 0, 5) {
				case 0:
					r.beside()
					beside = true
				case 1:
					r.correct()
				case 2:
					r.gap()
				default:
					r.write()
				}
				settle(r, runner, false)
				if !beside {
					r.compare(x, h, false)
				}
				settle(r, runner, true)
				r.compare(x, h, true)
			}
			again := jobindex.New(jobindex.Config{DB: db.DB})
			settle(r, jobindex.NewRunner(again), false)
			r.compare(again, h, true)
			check(r, again, following)
		})
	})
}

func settle(r *recorded, runner jobindex.Runner, sweep bool) {
	if err := runner.Settle(r.ctx, sweep); err != nil {
		r.Fatal(err)
	}
}

// gap records that the type was not watched for some time.
func (r *recorded) gap() {
	from := modeltest.Seen(r.version / 2).UnixMicro()
	to := "0"
	if r.n("ended", 0, 1) == 0 {
		to = "from_at + 100000000"
	}
	r.transact(nil, "INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at)"+
		" SELECT c.id, r.id, '', 0, 'r', 'window', 1, 2, 1, 0, '', 0 FROM clusters c, resources r")
	r.transact(nil, "UPDATE gaps SET from_at = "+itoa(from)+" WHERE from_at = 1", "UPDATE gaps SET to_at = "+to+" WHERE to_at = 0")
}

// follow applies changes like a client that counts jobs by state.
func follow(r *recorded, states map[int64]job.State, all []jobindex.Change) {
	for _, c := range all {
		before, known := states[c.Row.ID]
		if states == nil {
			continue
		}
		if known == c.New || known && before != c.Before {
			r.Fatalf("a change from %q (new: %t) of a job that was %q (known: %t)", c.Before, c.New, before, known)
		}
		if states[c.Row.ID] = c.Row.State; c.Removed {
			delete(states, c.Row.ID)
		}
	}
}

// check compares the states derived from changes with an index.
func check(r *recorded, x *jobindex.Index, states map[int64]job.State) {
	if states == nil {
		return
	}
	n := 0
	err := x.View(func(v *jobindex.View) error {
		v.Each(jobindex.Query{}, func(row *jobindex.Row) bool {
			n++
			if s, ok := states[row.ID]; !ok || s != row.State {
				r.Errorf("job %d is %s; the changes say %s", row.ID, row.State, s)
			}
			return true
		})
		return nil
	})
	if err != nil || n != len(states) {
		r.Errorf("%d jobs; the changes say %d; %v", n, len(states), err)
	}
}

// TestSweepLeavesTransitionsToTheFeed: a sweep that sees a transition before the feed is
// read does not apply it, because clients drop changes without their own position.
func TestSweepLeavesTransitionsToTheFeed(t *testing.T) {
	db := modeltest.Open(t, dbtest.Empty(t, "sqlite"))
	var all []jobindex.Change
	x := jobindex.New(jobindex.Config{DB: db.DB, Changed: func(some []jobindex.Change) { all = append(all, some...) }})
	write := func(version wire.Version, s job.State) {
		t.Helper()
		if err := db.Write(t.Context(), []modeltest.Revision{{UID: "a", Version: version, State: s, Body: "{}"}}); err != nil {
			t.Fatal(err)
		}
	}
	write(1, job.Queued)
	runner := jobindex.NewRunner(x)
	if err := runner.Settle(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	all = nil
	write(2, job.Running)
	if err := runner.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(all) > 0 {
		t.Errorf("the sweep reported %+v", all)
	}
	if err := runner.Settle(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Before != job.Queued || all[0].Row.State != job.Running || all[0].Kind != feed.New || all[0].Position != x.Position() {
		t.Errorf("the feed reported %+v", all)
	}
}
