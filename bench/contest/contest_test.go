package contest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/bench/workload"
)

// TestTable checks that names are unique, and that unknown names are refused.
func TestTable(t *testing.T) {
	var names []string
	for _, c := range All {
		if slices.Contains(names, c.Name) {
			t.Errorf("there are two contestants %s", c.Name)
		}
		names = append(names, c.Name)
	}
	for _, task := range []Task{
		{Action: "dance", Contestant: "vedette"},
		{Action: Sync, Contestant: "nobody", Kinds: []string{"pods"}},
		{Action: Sync, Contestant: "vedette", Kinds: []string{"unheard-of"}},
		{Action: Commit, Contestant: "nobody", Kinds: []string{"small"}},
		{Action: Overhead, Contestant: "client-go", Kinds: []string{"nodes"}, N: 1},
	} {
		task.Timeout = time.Second
		if _, err := Do(task); err == nil || !strings.Contains(err.Error(), task.Contestant) && !strings.Contains(err.Error(), string(task.Action)) {
			t.Errorf("%+v: %v", task, err)
		}
	}
}

// TestShelves checks that every store has all objects, and the written revision.
func TestShelves(t *testing.T) {
	const n = 300
	k, err := workload.Of("small")
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range Shelves {
		s, err := open(k, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Fill(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := s.Put(t.Context(), i, workload.ChurnVersion+uint64(i)); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.List(); got != n {
			t.Errorf("%s lists %d objects, want %d", name, got, n)
		}
	}
}

// TestAudience checks that an audience detects when all handlers have got the first list,
// and the end.
func TestAudience(t *testing.T) {
	a := newAudience(2, 3, ReadNothing, nil)
	closed := func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	for i, name := range []string{"a", "b", "c", "a", workload.EndName} {
		a.handlers[0].Told(name, 0)
		if closed(a.initial) || closed(a.ended) {
			t.Fatalf("it is over after %d events of one handler", i+1)
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		a.handlers[1].Told(name, 0)
	}
	if !closed(a.initial) || closed(a.ended) {
		t.Fatal("the first list was handled, but not the end")
	}
	a.handlers[1].Told(workload.EndName, 0)
	if !closed(a.ended) || a.told.Load() != 3 {
		t.Errorf("ended %v, %d events", closed(a.ended), a.told.Load())
	}
}
