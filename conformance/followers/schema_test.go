package followers

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/reflector"
)

// recordedObjects is the number of objects of TestDefaultAdded.
const recordedObjects = 1000

// colored is the schema of later objects: a field with a default is new.
func colored(color string) object {
	s := Sized()
	s["color"] = object{"type": "string", "default": color}
	return s
}

// TestDefaultAdded: a schema gets a new field with a default, so the server shows other
// content of 1,000 objects at the versions that they have. Each follower has it. The history
// of an object has one revision more, which is marked as shown again, and no second
// transition.
func TestDefaultAdded(t *testing.T) {
	w := NewWorld(t, controlplane.Options{}, Version("v1", true, true, Sized()))
	w.Create(0, recordedObjects)
	all := w.Five(reflector.Config{})
	w.Agree("the first lists", all)
	before := counted(t, all)
	w.redefine(Version("v1", true, true, colored("blue")))
	patience.Until(t, "the server shows the default", func() string {
		list, err := w.list()
		if err != nil {
			return err.Error()
		}
		for _, o := range list {
			if color, _, _ := unstructured.NestedString(o.Object, "spec", "color"); color != "blue" {
				return "not yet in " + o.GetName()
			}
		}
		return ""
	})
	w.Agree("the default", all)
	after := counted(t, all)
	if want := (counts{revisions: before.revisions + recordedObjects, reshown: recordedObjects, transitions: before.transitions}); after != want {
		t.Errorf("the history has %+v, want %+v", after, want)
	}
	w.Resize(0, 5000)
	w.Remove(1)
	w.Create(recordedObjects, recordedObjects+1)
	w.Agree("later changes", all)
	for _, f := range all {
		if f.Health().Fault != reflector.NoFault {
			t.Errorf("%s has a fault: %s", f.Name, f.Condition())
		}
	}
}

// counts are the rows of a history.
type counts struct{ revisions, reshown, transitions int }

// counted counts the rows in the history of the recorder.
func counted(t *testing.T, all []*Follower) (n counts) {
	t.Helper()
	h := all[slices.IndexFunc(all, func(f *Follower) bool { return f.History != nil })].History
	every := history.Paging{Limit: 1000}
	objects := func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
		return h.ListObjects(ctx, history.Filter{}, p)
	}
	for o, err := range history.All(t.Context(), every, objects) {
		if err != nil {
			t.Fatal(err)
		}
		revisions := func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
			return h.Revisions(ctx, o.ID, p)
		}
		for r, err := range history.All(t.Context(), every, revisions) {
			if err != nil {
				t.Fatal(err)
			}
			if n.revisions++; r.Source == history.Reshown {
				n.reshown++
			}
		}
		page, err := h.Transitions(t.Context(), o.ID, every)
		if err != nil {
			t.Fatal(err)
		}
		n.transitions += len(page.Items)
	}
	return n
}
