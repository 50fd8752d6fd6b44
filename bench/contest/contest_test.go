package contest

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

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

// TestFloorDecoded checks that the floor for readers decodes the objects of a stream, and
// follows changes and deletions in its index.
func TestFloorDecoded(t *testing.T) {
	k, err := workload.Of("pods")
	if err != nil {
		t.Fatal(err)
	}
	c, err := openFloorDecoded(Env{Kinds: []workload.Kind{k}, Encoding: workload.Protobuf, Index: true})
	if err != nil {
		t.Fatal(err)
	}
	d := c.(*floorDecoded)
	frame := func(event string, i int, app string) []byte {
		obj := k.New(0, i)
		obj.SetLabels(map[string]string{"app": app})
		body, err := workload.Form{Encoding: workload.Protobuf}.Body(k, obj)
		if err != nil {
			t.Fatal(err)
		}
		message := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Raw: body}
		raw, err := message.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		text, err := (&metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: append([]byte("k8s\x00"), raw...)}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, one := range [][]byte{frame("ADDED", 1, "a"), frame("ADDED", 2, "a"), frame("ADDED", 3, "b"), frame("MODIFIED", 2, "b"), frame("DELETED", 3, "b"), frame("ADDED", 4, "a")} {
		if err := d.apply(one); err != nil {
			t.Fatal(err)
		}
	}
	for app, want := range map[string]int{"a": 2, "b": 1, "c": 0} {
		indexed, selected := 0, 0
		if err := d.ByApp(t.Context(), app, func(metav1.Object) { indexed++ }); err != nil {
			t.Fatal(err)
		}
		if err := d.Select(t.Context(), labels.SelectorFromSet(labels.Set{"app": app}), func(metav1.Object) { selected++ }); err != nil {
			t.Fatal(err)
		}
		if indexed != want || selected != want {
			t.Errorf("%s: %d by the index and %d by the selector, want %d", app, indexed, selected, want)
		}
	}
	for _, broken := range [][]byte{nil, []byte("k8s"), frame("ADDED", 1, "a")[:20]} {
		if err := d.apply(broken); err == nil {
			t.Errorf("a broken frame of %d bytes was applied", len(broken))
		}
	}
}
