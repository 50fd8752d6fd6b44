package feed_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// entry is an entry of the feed in the naive model.
type entry struct {
	name string // "a/3"
	kind string // "new", "late", "corrected", "withdrawn"
}

// naive is the feed as a list, beside the database.
type naive struct {
	*database
	log     []entry                  // the entry at index 0 has position 1
	readers map[string]feed.Position // of readers without a cursor
	at      map[string]feed.Position // of cursors
	start   map[string]feed.Position // initial positions of the cursors
}

// drawObservations draws revisions of some objects, in the order of their versions. An
// inferred deletion has the version of a list, which may be later than the deletion.
func drawObservations(t *rapid.T) (all []observe.Observation) {
	version := wire.Version(0)
	for _, uid := range []string{"a", "b", "c"} {
		n := rapid.IntRange(0, 7).Draw(t, "revisions of "+uid)
		for i := range n {
			version += wire.Version(rapid.IntRange(1, 2).Draw(t, "step"))
			o := observe.Observation{
				UID: uid, Namespace: "ml", Name: "job-" + uid, Version: version, Source: model.Watched, Seen: time.Unix(1_700_000_000+int64(version), 0),
				Body: []byte("{}"), Labels: map[string]string{"uid": uid},
			}
			o.Status.State = rapid.SampledFrom([]job.State{job.Queued, job.Running, job.Failed}).Draw(t, "state")
			if i == n-1 && rapid.Bool().Draw(t, "deleted") {
				o.Status.State, o.Deleted = job.Deleted, true
			}
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(x, y observe.Observation) int { return int(x.Version) - int(y.Version) })
	return all
}

// drawBatches draws what one recorder sees of a history. The recorder infers the deletions
// that it missed.
func drawBatches(t *rapid.T, all []observe.Observation) (batches [][]observe.Observation) {
	var some []observe.Observation
	for _, o := range all {
		if o.Deleted && rapid.Bool().Draw(t, "inferred") {
			o.Version, o.Source, o.Body = o.Version+1000, model.Relisted, nil
		} else if rapid.IntRange(0, 2).Draw(t, "missed") == 0 {
			continue
		}
		some = append(some, o)
		if rapid.Bool().Draw(t, "commit") {
			batches, some = append(batches, some), nil
		}
	}
	return append(batches, some)
}

// stored is a part of the database.
type stored struct {
	transitions map[string]string // by name: "Queued Running"
	revisions   map[string]bool
	last        map[string]int // the last version of each object
}

func (n *naive) stored() stored {
	s := stored{map[string]string{}, map[string]bool{}, map[string]int{}}
	for _, line := range n.Rows("SELECT o.uid, t.version, t.from_state, t.to_state FROM transitions t JOIN objects o ON o.id = t.object_id") {
		f := strings.SplitN(line, " ", 3)
		s.transitions[f[0]+"/"+f[1]] = f[2]
	}
	for _, line := range n.Rows("SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id") {
		s.revisions[strings.Replace(line, " ", "/", 1)] = true
	}
	for _, line := range n.Rows("SELECT uid, version FROM objects") {
		uid, version, _ := strings.Cut(line, " ")
		s.last[uid] = number(version)
	}
	return s
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// split returns the parts of a name.
func split(name string) (uid string, version int) {
	uid, text, _ := strings.Cut(name, "/")
	return uid, number(text)
}

var errCrash = errors.New("the process has crashed")

// commit writes a batch, or crashes before the commit.
func (n *naive) commit(t *rapid.T, some []observe.Observation) {
	before, waiting := n.stored(), n.Rows("SELECT id FROM feed_outbox")
	crash := rapid.IntRange(0, 4).Draw(t, "crash") == 0
	err := n.Transact(n.Context(), func(tx *sqldb.Tx) error {
		_, err := batch.Write(n.Context(), tx, n.Scope, bodies.NewEncoder(n.Scope.Resource, 1<<20), slices.Clone(some))
		if err == nil && crash {
			err = errCrash
		}
		return err
	})
	if crash != errors.Is(err, errCrash) || !crash && err != nil {
		t.Fatal(err)
	}
	var wrote []entry
	for _, line := range n.Rows("SELECT w.id, o.uid, w.version, w.kind FROM feed_outbox w JOIN objects o ON o.id = w.object_id ORDER BY w.id") {
		f := strings.Fields(line)
		if !slices.Contains(waiting, f[0]) {
			wrote = append(wrote, entry{f[1] + "/" + f[2], []string{"", "new", "late", "corrected", "withdrawn"}[number(f[3])]})
		}
	}
	compareKinds(t, wrote, before, n.stored())
	n.log = append(n.log, wrote...)
}

// compareKinds compares the entries of a transaction with the difference that it makes.
func compareKinds(t *rapid.T, wrote []entry, before, after stored) {
	want, replaced := map[string]string{}, map[string]bool{} // objects whose inferred deletion is replaced
	for name, was := range before.transitions {
		if _, still := after.transitions[name]; !still {
			uid, _ := split(name)
			want[name], replaced[uid] = "withdrawn", replaced[uid] || strings.HasSuffix(was, " Deleted")
		}
	}
	for name, is := range after.transitions {
		uid, version := split(name)
		switch was, known := before.transitions[name]; {
		case known && was == is:
		case known, before.revisions[name], replaced[uid] && strings.HasSuffix(is, " Deleted"):
			want[name] = "corrected"
		case version > before.last[uid]:
			want[name] = "new"
		default:
			want[name] = "late"
		}
	}
	previous := 0
	for _, e := range wrote {
		_, version := split(e.name)
		if version < previous {
			t.Fatalf("%v are not in the order of their versions", wrote)
		}
		previous = version
		_, exists := after.transitions[e.name]
		if thereAndBack := want[e.name] == "" && exists && e.kind == "corrected"; want[e.name] != e.kind && !thereAndBack {
			t.Fatalf("%s: got %s, want %q; before %v, after %v", e.name, e.kind, want[e.name], before, after)
		}
		delete(want, e.name)
	}
	if len(want) > 0 {
		t.Fatalf("%v are missing", want)
	}
}

// readable returns the entries that a reader gets after a position. It omits withdrawn and
// pruned transitions, but includes the withdrawals.
func (n *naive) readable(after feed.Position, count int) (all []string) {
	s := n.stored()
	for i, e := range n.log[after:min(len(n.log), int(after)+count)] {
		uid, _ := split(e.name)
		_, exists := s.transitions[e.name]
		_, known := s.last[uid]
		switch {
		case e.kind == "withdrawn" && exists:
			e.kind = "corrected" // the revision is a transition again
		case e.kind == "withdrawn" && known, exists:
		default:
			continue
		}
		all = append(all, fmt.Sprintf("%d %s %s %s", int(after)+i+1, e.name, e.kind, s.transitions[e.name]))
	}
	return all
}

// textOf returns a transition in the form of readable.
func textOf(t feed.Transition) string {
	if t.Withdrawn {
		return fmt.Sprintf("%d %s withdrawn ", t.Position, nameOf(t))
	}
	return fmt.Sprintf("%d %s %s %s %s", t.Position, nameOf(t), t.Kind, t.From, t.To)
}

// oldest returns the position after which the feed begins.
func (n *naive) oldest() feed.Position {
	return feed.Position(number(n.Rows("SELECT oldest FROM feed_head")[0]))
}

// readSome reads some transitions as a reader without a cursor.
func (n *naive) readSome(t *rapid.T) {
	who, most := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "reader"), rapid.IntRange(1, 9).Draw(t, "most")
	after := n.readers[who]
	want, oldest := n.readable(after, len(n.log)), n.oldest()
	var got []string
	for tr, err := range feed.Read(n.Context(), n.DB, after) {
		if after < oldest {
			if n.readers[who] = oldest; !errors.Is(err, feed.ErrExpired) {
				t.Fatalf("read position %d although the feed begins after %d: %v", after, oldest, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if label := tr.Object.Labels["uid"]; label != "" && label != tr.Object.UID || tr.Object.Name != "job-"+tr.Object.UID || tr.Object.Cluster != "a" {
			t.Fatalf("got %+v, want the name and label of its UID, in cluster a", tr.Object)
		}
		got, n.readers[who] = append(got, textOf(tr)), tr.Position
		if len(got) == most {
			break
		}
	}
	if want = want[:min(len(want), most)]; !slices.Equal(got, want) {
		t.Fatalf("after %d\n got %q\nwant %q", after, got, want)
	}
}

// consume does one step of a consumer. It crashes now and then.
func (n *naive) consume(t *rapid.T, name string, crashes bool) (moved bool) {
	if _, exists := n.at[name]; !exists {
		n.at[name], n.start[name] = n.oldest(), n.oldest()
	}
	crash := crashes && rapid.IntRange(0, 3).Draw(t, "crash") == 0
	size := rapid.IntRange(1, 9).Draw(t, "batch")
	want, called := n.readable(n.at[name], size), false
	err := feed.Step(n.Context(), n.DB, feed.Consumer{Name: name, Batch: size, Handle: func(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
		called = true
		var got []string
		for _, tr := range some {
			got = append(got, textOf(tr))
			row := []any{name, int64(tr.Position), nameOf(tr), fmt.Sprint(tr.From, " ", tr.To)}
			if tr.Withdrawn {
				row[3] = ""
			}
			if err := tx.Insert(ctx, "copied", []string{"reader", "position", "name", "states"}, [][]any{row}); err != nil {
				return err
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s after %d\n got %q\nwant %q", name, n.at[name], got, want)
		}
		if crash {
			return errCrash
		}
		return nil
	}})
	if crash = crash && called; crash != errors.Is(err, errCrash) || !crash && err != nil {
		t.Fatal(err)
	}
	before := n.at[name]
	if !crash {
		n.at[name] = min(n.at[name]+feed.Position(size), feed.Position(len(n.log)))
	}
	if called != (len(want) > 0) {
		t.Fatalf("%s: got Handle called: %v, for %q", name, called, want)
	}
	return n.at[name] > before
}

// prune removes what a random policy does not keep, except unread transitions of a cursor.
// It prunes the history only when no recorder lags behind.
func (n *naive) prune(t *rapid.T, history bool) {
	before := n.stored()
	policy := retention.Policy{CursorIdle: retention.Forever, KeepFeed: rapid.SampledFrom([]time.Duration{time.Nanosecond, time.Hour}).Draw(t, "keep feed")}
	if history {
		policy.Keep = time.Nanosecond
	}
	if _, err := retention.Prune(n.Context(), n.DB, policy); err != nil {
		t.Fatal(err)
	}
	first := feed.Position(len(n.log))
	for _, at := range n.at {
		first = min(first, at)
	}
	after := n.stored()
	for _, e := range n.log[first:] {
		if _, still := after.transitions[e.name]; before.transitions[e.name] != "" && !still && len(n.at) > 0 {
			t.Fatalf("%s was removed although a cursor is at %d of %v", e.name, first, n.log)
		}
	}
	if oldest := n.oldest(); oldest > first {
		t.Fatalf("the feed begins after %d although a cursor is at %d", oldest, first)
	}
}

// TestAgainstModel runs recorders that crash, readers, consumers that copy, crash and
// continue, and retention. The feed must be the list of changes of each transaction, in the
// order of commits, and a copy must equal the history.
func TestAgainstModel(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.Exec("CREATE TABLE copied (reader VARCHAR(20) NOT NULL, position BIGINT NOT NULL, name VARCHAR(20) NOT NULL, states VARCHAR(99) NOT NULL, PRIMARY KEY (reader, position))")
		modeltest.Check(t, func(t *rapid.T) {
			d.Clear()
			d.Exec("DELETE FROM copied")
			n := &naive{database: d, readers: map[string]feed.Position{}, at: map[string]feed.Position{}, start: map[string]feed.Position{}}
			all := drawObservations(t)
			var recorders [][][]observe.Observation
			for range rapid.IntRange(1, 3).Draw(t, "recorders") {
				recorders = append(recorders, drawBatches(t, all))
			}
			act := func(ended bool) (wrote bool) {
				switch rapid.IntRange(0, 6).Draw(t, "what") {
				case 0:
					n.readSome(t)
				case 1, 2:
					n.consume(t, rapid.SampledFrom([]string{"p", "q"}).Draw(t, "cursor"), true)
				case 3:
					n.prune(t, ended)
				default:
					return true
				}
				return false
			}
			for len(recorders) > 0 {
				if act(false) {
					i := rapid.IntRange(0, len(recorders)-1).Draw(t, "who")
					if n.commit(t, recorders[i][0]); len(recorders[i]) == 1 {
						recorders = slices.Delete(recorders, i, i+1)
					} else {
						recorders[i] = recorders[i][1:]
					}
				}
			}
			for range rapid.IntRange(0, 9).Draw(t, "afterwards") {
				act(true)
			}
			for _, name := range slices.Sorted(maps.Keys(n.at)) {
				for n.consume(t, name, false) {
				}
				n.compareCopy(t, name)
			}
		})
	})
}

// compareCopy compares the copy of a consumer with the history.
func (n *naive) compareCopy(t *rapid.T, name string) {
	copied := map[string]string{}
	for _, line := range n.Rows("SELECT name, states FROM copied WHERE reader = '" + name + "' ORDER BY position") {
		name, states, _ := strings.Cut(line, " ")
		copied[name] = states
	}
	for tr, states := range n.stored().transitions {
		told := slices.ContainsFunc(n.log[n.start[name]:], func(e entry) bool { return e.name == tr })
		if told && copied[tr] != states {
			t.Fatalf("%s has %s as %q, want %q", name, tr, copied[tr], states)
		}
	}
}
