package record_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// drawHistory draws revisions of a few objects, in the order of their versions.
func drawHistory(t *rapid.T) (all []record.Observation) {
	states := []job.State{job.Queued, job.Running, job.Failed, ""}
	version := wire.Version(1)
	for _, uid := range []string{"a", "b", "c"} {
		n := rapid.IntRange(0, 8).Draw(t, "revisions of "+uid)
		for i := range n {
			version += wire.Version(rapid.IntRange(1, 3).Draw(t, "step"))
			s := record.Observation{UID: uid, Version: version, State: rapid.SampledFrom(states).Draw(t, "state"), Ago: rapid.IntRange(0, 6).Draw(t, "ago")}
			if i == n-1 && rapid.Bool().Draw(t, "deleted") {
				s.State = job.Deleted
			}
			s.Body = strings.Repeat("as all of them, ", 20) + rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "body") + fmt.Sprint(s.State)
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(x, y record.Observation) int { return int(x.Version) - int(y.Version) })
	return all
}

// deliver draws the part of a history that one recorder sees, in batches.
func deliver(t *rapid.T, all []record.Observation) (batches [][]record.Observation) {
	var batch []record.Observation
	for _, s := range all {
		if rapid.IntRange(0, 3).Draw(t, "missed") > 0 {
			batch = append(batch, s)
		}
		if rapid.IntRange(0, 2).Draw(t, "commit") == 0 {
			batches, batch = append(batches, batch), nil
		}
	}
	return append(batches, batch)
}

// TestAgainstModel lets several recorders write what each of them saw, interleaved and
// partly twice. The database must then hold what all of them saw together: each revision
// once, and a transition wherever the state differs from that of the previous revision.
func TestAgainstModel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		modeltest.Check(t, func(t *rapid.T) {
			w.clear()
			all := drawHistory(t)
			seen := map[record.Observation]bool{}
			var recorders [][][]record.Observation
			for range rapid.IntRange(1, 3).Draw(t, "recorders") {
				recorders = append(recorders, deliver(t, all))
			}
			written := 0
			for len(recorders) > 0 {
				i := rapid.IntRange(0, len(recorders)-1).Draw(t, "who")
				batch := recorders[i][0]
				if recorders[i] = recorders[i][1:]; len(recorders[i]) == 0 {
					recorders = slices.Delete(recorders, i, i+1)
				}
				for range rapid.IntRange(1, 2).Draw(t, "times") {
					if len(batch) == 0 {
						continue
					}
					result, err := record.Write(w.t.Context(), w.d, batch)
					if err != nil {
						t.Fatal(err)
					}
					written += result.Revisions
				}
				for _, s := range batch {
					seen[s] = true
				}
			}
			w.compare(t, all, seen, written)
		})
	})
}

// compare compares the database with the observations.
func (w *world) compare(t *rapid.T, all []record.Observation, seen map[record.Observation]bool, written int) {
	var revisions, transitions, objects []string
	last := map[string]record.Observation{}
	for _, s := range all {
		if !seen[s] {
			continue
		}
		revisions = append(revisions, fmt.Sprint(s.UID, " ", s.Version, " ", s.State))
		if before, ok := last[s.UID]; !ok || before.State != s.State {
			transitions = append(transitions, fmt.Sprint(s.UID, " ", s.Version, " ", before.State, " ", s.State))
		}
		last[s.UID] = s
		body, err := w.body(s.UID, s.Version)
		if err != nil || string(body) != s.Body {
			t.Fatalf("body of %s at %v: %q, %v", s.UID, s.Version, body, err)
		}
	}
	for _, uid := range []string{"a", "b", "c"} {
		if s, ok := last[uid]; ok {
			objects = append(objects, fmt.Sprint(uid, " ", s.Version, " ", s.State))
		}
	}
	if written != len(revisions) {
		t.Fatalf("got %d written revisions, want %d", written, len(revisions))
	}
	for query, want := range map[string][]string{
		"SELECT o.uid, r.version, r.state FROM revisions r JOIN objects o ON o.id = r.object_id ORDER BY r.version":                                                    revisions,
		"SELECT o.uid, t.version, t.from_state, t.to_state FROM transitions t JOIN objects o ON o.id = t.object_id ORDER BY t.version":                                 transitions,
		"SELECT a.version, b.version FROM transitions a JOIN transitions b ON b.object_id = a.object_id AND b.version > a.version WHERE b.happened_at < a.happened_at": nil,
		"SELECT o.uid, o.since, t.happened_at FROM objects o JOIN transitions t ON t.object_id = o.id WHERE t.happened_at <> o.since" +
			" AND t.version = (SELECT MAX(version) FROM transitions l WHERE l.object_id = o.id)": nil,
		"SELECT uid, version, state FROM objects ORDER BY uid": objects,
	} {
		if got := w.rows(query); !slices.Equal(got, want) {
			t.Fatalf("%s\n got %q\nwant %q", query, got, want)
		}
	}
}

// clear empties the database.
func (w *world) clear() {
	w.t.Helper()
	for _, table := range []string{"transitions", "revisions", "labels", "transition_index", "objects", "feed_outbox"} {
		if _, err := w.d.SQL().ExecContext(context.Background(), "DELETE FROM "+table); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestWritersAtOnce checks that recorders that write the same revisions at the same time do
// not block each other permanently, and store nothing twice.
func TestWritersAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		var all []record.Observation
		for v := range wire.Version(300) {
			all = append(all, record.Observation{UID: fmt.Sprint("uid-", v%7), Version: v + 1, State: []job.State{job.Queued, job.Running}[v/7%2], Body: fmt.Sprint("body ", v)})
		}
		var work sync.WaitGroup
		for range 3 {
			work.Go(func() {
				for some := range slices.Chunk(all, 20) {
					for { // retry like a recorder
						if _, err := record.Write(t.Context(), w.d, some); err == nil {
							break
						} else if t.Context().Err() != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		work.Wait()
		w.until("SELECT COUNT(*) FROM revisions", "300")
		w.until("SELECT COUNT(*) FROM transitions", "300")
		w.until("SELECT COUNT(*) FROM objects", "7")
	})
}
