package logkeeper

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestQueueAgainstModel: for all orders of calls, no run has two jobs at a time, all
// limits hold, only one job tries a failed node, and every added task ends once.
func TestQueueAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		l := limits{waiting: 8, active: 3, stalled: 2, node: 2}
		q := newQueue[int](l)
		now := time.Unix(1, 0)
		running := map[runID]*item[int]{}
		owed := map[runID]bool{} // runs with a task that has not ended
		more := map[runID]bool{} // runs whose task was replaced while their job ran
		failing := map[string]bool{}
		next := 0
		check := func() {
			active, stalled, nodes := 0, 0, map[string]int{}
			for _, j := range running {
				if nodes[j.node]++; j.stalled {
					stalled++
				} else {
					active++
				}
			}
			if active > l.active || stalled > l.stalled || active != q.active || stalled != q.stalled {
				t.Fatalf("%d run and %d are stalled; the queue says %d and %d", active, stalled, q.active, q.stalled)
			}
			for node, n := range nodes {
				if n > l.node {
					t.Fatalf("got %d tasks at once on %s, want at most %d", n, node, l.node)
				}
			}
			if waiting := q.waiting[fresh] + q.waiting[old]; waiting+len(running) != len(q.items) || len(q.items) != len(owed) {
				t.Fatalf("%d wait, %d run, %d jobs, %d owed", waiting, len(running), len(q.items), len(owed))
			}
		}
		id := rapid.Custom(func(t *rapid.T) runID {
			return runID{pod: fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "pod")), container: "c", restart: rapid.IntRange(0, 1).Draw(t, "restart")}
		})
		node := func(id runID) string { return "node-" + string(id.pod[0]%3+'0') }
		some := func() *item[int] { // an arbitrary one; nil if none runs
			for _, j := range running {
				return j
			}
			return nil
		}
		forget := func() { // a node without jobs is forgotten
			maps.DeleteFunc(failing, func(name string, _ bool) bool { return q.nodes[name] == nil })
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { check() },
			"add": func(t *rapid.T) {
				i := id.Draw(t, "run")
				next++
				full := q.waiting[fresh]+q.waiting[old] >= l.waiting && q.items[i] == nil
				if added := q.add(i, node(i), urgency(rapid.IntRange(0, 1).Draw(t, "urgency")), next, now); added == full {
					t.Fatalf("added: %v, full: %v; want it added unless the queue is full", added, full)
				} else if added {
					owed[i], more[i] = true, running[i] != nil
				}
			},
			"next": func(t *rapid.T) {
				j, wake := q.next(now)
				if j == nil {
					if !wake.IsZero() && !wake.After(now) {
						t.Fatal("nothing is due, but it should be tried now")
					}
					return
				}
				if running[j.id] != nil || j.due.After(now) {
					t.Fatalf("%v runs twice, or is not due", j.id)
				}
				if failing[j.node] {
					for _, other := range running {
						if other.node == j.node {
							t.Fatalf("two jobs try %s, which has failed", j.node)
						}
					}
				}
				running[j.id] = j
			},
			"stall": func(*rapid.T) {
				if j := some(); j != nil {
					q.stall(j)
				}
			},
			"later": func(t *rapid.T) { now = now.Add(time.Second) },
			"done": func(t *rapid.T) {
				j := some()
				if j == nil {
					return
				}
				again, gone := more[j.id], j.gone
				retry := time.Time{}
				if rapid.Bool().Draw(t, "fails") {
					retry = now.Add(time.Second)
					q.nodeFailed(j.node, retry)
					failing[j.node] = true
				} else {
					q.nodeAnswered(j.node)
					failing[j.node] = false
				}
				ended := q.done(j, retry)
				if want := gone || !again && retry.IsZero(); ended != want {
					t.Fatalf("ended: %v, want %v", ended, want)
				}
				delete(running, j.id)
				delete(more, j.id)
				if ended {
					delete(owed, j.id)
				}
				forget()
			},
			"gone": func(t *rapid.T) {
				for _, j := range q.podGone(id.Draw(t, "run").pod) {
					if running[j.id] != nil || !owed[j.id] {
						t.Fatalf("%v ended, but runs or is not owed", j.id)
					}
					delete(owed, j.id)
				}
				forget()
			},
		})
	})
}

// TestFreshFirst: fresh tasks precede old ones, and no node waits for another one.
func TestFreshFirst(t *testing.T) {
	q := newQueue[string](limits{waiting: 100, active: 10, stalled: 10, node: 1})
	now := time.Unix(1, 0)
	q.add(runID{pod: "a"}, "one", old, "old", now)
	q.add(runID{pod: "b"}, "one", fresh, "fresh", now)
	q.add(runID{pod: "c"}, "two", old, "other node", now)
	var got []string
	for {
		j, _ := q.next(now)
		if j == nil {
			break
		}
		got = append(got, j.task)
	}
	if len(got) != 2 || got[0] != "fresh" || got[1] != "other node" {
		t.Errorf("got %q, want fresh, then other node", got)
	}
}
