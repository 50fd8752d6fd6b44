package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestHeartbeats: what readers see of a recorder that follows, is behind, stops and comes back.
func TestHeartbeats(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.exec("INSERT INTO clusters (uid, name, seen_at) VALUES ('u-1', 'prod', 0)")
		w.exec("INSERT INTO resources (api_group, name, kind) VALUES ('batch', 'jobs', 'Job'), ('', 'pods', 'Pod')")
		beat := func(b *record.Beats, all map[int64]record.Progress) {
			t.Helper()
			if err := b.Beat(t.Context(), all); err != nil {
				t.Fatal(err)
			}
		}
		follows := record.Progress{Follows: true}
		first := record.NewBeats(w.d, "first", 2)
		beat(first, map[int64]record.Progress{1: {}, 2: follows})
		w.fresh(0, "pods live") // nobody has recorded jobs yet
		beat(first, map[int64]record.Progress{1: {Follows: true, Quiet: 4 * time.Minute}, 2: follows})
		w.fresh(0, "jobs.batch live unconfirmed", "pods live")
		beat(first, map[int64]record.Progress{1: follows, 2: {Follows: true, Uncommitted: time.Minute}})
		w.fresh(0, "jobs.batch live", "pods behind 1m0s")
		beat(first, map[int64]record.Progress{1: follows, 2: {Follows: true, Uncommitted: 4 * time.Second}})
		w.fresh(0, "jobs.batch live", "pods live")
		w.fresh(11*time.Second, "jobs.batch stale", "pods stale")

		// A process that starts does not confirm what its predecessor missed.
		w.exec("UPDATE recorders SET committed_at = committed_at - 300000000, renewed_at = renewed_at - 300000000")
		w.fresh(0, "jobs.batch stale 5m0s", "pods stale 5m0s")
		again := record.NewBeats(w.d, "first", 2)
		beat(again, map[int64]record.Progress{1: {}, 2: follows})
		w.fresh(0, "jobs.batch behind 5m0s", "pods live")
		beat(again, map[int64]record.Progress{1: follows})
		w.fresh(0, "jobs.batch live", "pods live")

		// A watch that was resumed and has brought nothing is as old as its last frame.
		w.exec("UPDATE recorder_scopes SET heard_at = heard_at - 300000000")
		beat(record.NewBeats(w.d, "first", 2), map[int64]record.Progress{1: {Follows: true, Silent: true}, 2: follows})
		w.fresh(0, "jobs.batch live unconfirmed", "pods live")
		if got := w.rows("SELECT COUNT(*) FROM recorder_scopes WHERE heard_at = 0"); got[0] != "0" {
			t.Errorf("%s watches have lost the time of their last frame", got[0])
		}
		w.exec("UPDATE recorder_scopes SET heard_at = heard_at + 300000000 WHERE resource_id = 1")

		// Another recorder confirms one of the types, and replaces a dead one.
		w.exec("UPDATE recorders SET committed_at = committed_at - 300000000, renewed_at = renewed_at - 300000000")
		second := record.NewBeats(w.d, "second", 1)
		beat(second, map[int64]record.Progress{2: follows})
		w.fresh(0, "jobs.batch stale 5m0s", "pods live")
		if got := w.rows("SELECT r.name, s.resource_id FROM recorder_scopes s JOIN recorders r ON r.id = s.recorder_id ORDER BY r.name, s.resource_id"); strings.Join(got, ";") != "first 1;second 2" {
			t.Errorf("got scopes %q, want one of each recorder", got)
		}

		// A recorder that no longer has a type says nothing of it.
		fewer := record.NewBeats(w.d, "first", 1)
		beat(fewer, map[int64]record.Progress{2: follows})
		w.fresh(0, "pods live")
	})
}

// TestHeartbeatOfRemovedRecorder: a recorder whose row was removed begins again.
func TestHeartbeatOfRemovedRecorder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.exec("INSERT INTO clusters (uid, name, seen_at) VALUES ('u-1', 'prod', 0)")
		w.exec("INSERT INTO resources (api_group, name, kind) VALUES ('batch', 'jobs', 'Job')")
		b, follows := record.NewBeats(w.d, "first", 1), map[int64]record.Progress{1: {Follows: true}}
		for _, want := range [][]string{{"jobs.batch live"}, nil, {"jobs.batch live"}} {
			if err := b.Beat(t.Context(), follows); err != nil {
				t.Fatal(err)
			}
			w.fresh(0, want...)
			w.exec("DELETE FROM recorder_scopes")
			w.exec("DELETE FROM recorders")
		}
	})
}

// TestHeartbeatAfterDatabaseRestore: the rows of a restored database say what they said when they were
// copied, until the recorder has noticed it.
func TestHeartbeatAfterDatabaseRestore(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.exec("INSERT INTO clusters (uid, name, seen_at) VALUES ('u-1', 'prod', 0)")
		w.exec("INSERT INTO resources (api_group, name, kind) VALUES ('batch', 'jobs', 'Job')")
		b := record.NewBeats(w.d, "first", 1)
		beat := func(p record.Progress) {
			t.Helper()
			if err := b.Beat(t.Context(), map[int64]record.Progress{1: p}); err != nil {
				t.Fatal(err)
			}
		}
		beat(record.Progress{Follows: true})
		beat(record.Progress{Follows: true, Uncommitted: time.Minute})
		restore := dbtest.Backup(t, url, w.d.SQL())
		beat(record.Progress{Follows: true})
		w.fresh(0, "jobs.batch live")
		restore()
		w.fresh(0, "jobs.batch behind 1m0s")
		for range 2 {
			beat(record.Progress{Follows: true})
		}
		w.fresh(0, "jobs.batch live")
	})
}

// TestRecorderHeartbeat: a recorder confirms its targets.
func TestRecorderHeartbeat(t *testing.T) {
	w := newWorld(t, dbtest.First(t))
	stop := w.record("r", record.Target{Type: "pods"}, record.Target{Type: "configmaps"})
	w.until("SELECT COUNT(*) FROM recorder_scopes WHERE behind_at = 0 AND heard_at > 0", "2")
	w.fresh(0, "configmaps live", "pods live")
	stop()
	w.fresh(history.StaleAfter+time.Second, "configmaps stale", "pods stale")
}

// fresh compares the freshness of all types after a time with texts.
func (w *world) fresh(after time.Duration, want ...string) {
	w.t.Helper()
	all, err := history.New(w.d).Freshness(w.t.Context(), w.d.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	now := w.d.Now().Add(after)
	var got []string
	for i := range all {
		f := &all[i]
		text := f.Type.String() + " " + f.Recording(now).String()
		if age := now.Sub(f.Committed).Truncate(time.Minute); f.Recording(now) != history.Live && age > 0 {
			text += fmt.Sprint(" ", age)
		}
		if f.Unconfirmed(now) {
			text += " unconfirmed"
		}
		got = append(got, text)
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		w.t.Errorf("after %v: got %q, want %q", after, got, want)
	}
}

func (w *world) exec(statement string) {
	w.t.Helper()
	if _, err := w.d.SQL().ExecContext(w.t.Context(), statement); err != nil {
		w.t.Fatal(err)
	}
}
