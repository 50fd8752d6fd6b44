package recordtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

var recordingTests = []test{
	{"every transition is recorded once", recordTransitions},
	{"bodies come back", recordBodies},
	{"filters select by the index", recordFilters},
	{"missed revisions are a gap", recordGap},
	{"retention removes rows that are due", recordRetention},
}

// recordTransitions: two recorders write each revision and each transition once, in order.
func recordTransitions(t *testing.T, d *database) {
	c := newCluster(t, d)
	c.create(pod("a", "x"))
	stopOne, stopTwo := c.record("one"), c.record("two")
	c.covered("one")
	c.covered("two")
	c.phase("a", "Running")
	c.create(pod("b", "y"))
	c.phase("a", "Failed")
	c.remove("b")
	c.create(pod("b", "y"))
	c.covered("one")
	c.covered("two")
	stopOne()
	stopTwo()
	want := []string{"a >Queued", "a Queued>Running", "b >Queued", "a Running>Failed", "b Queued>Deleted", "b >Queued"}
	got := c.changes(history.Filter{}, history.OldestFirst)
	// The two objects called b are ordered by the times that they report, in whole
	// seconds: the second may come before the deletion of the first.
	if !slices.Equal(sorted(got), sorted(want)) || !slices.Equal(only(got, "a"), only(want, "a")) || only(got, "b")[0] != "b >Queued" {
		t.Errorf("%q", got)
	}
	if n := c.number("SELECT COUNT(*) FROM revisions"); n != 6 {
		t.Errorf("%d revisions", n)
	}
	if o := c.object("a"); o.State != string(job.Failed) || o.Presence != history.Present || o.Submitter != "ann-x" {
		t.Errorf("%+v", o)
	}
	if gaps := allPages(t, history.OldestFirst, func(ctx context.Context, p history.Paging) (history.Page[history.Gap], error) {
		return c.h.ListGaps(ctx, history.GapFilter{}, p)
	}); len(gaps) > 0 {
		t.Errorf("%+v", gaps)
	}
	stats, err := c.h.Stats(t.Context(), history.Filter{}, time.Now(), nil)
	if err != nil || len(stats) != 1 || stats[0].Objects != 3 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }

// only returns the lines of one object.
func only(all []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(line string) bool { return !strings.HasPrefix(line, name+" ") })
}

// recordBodies: each revision has its own body, keyframes and differences.
func recordBodies(t *testing.T, d *database) {
	c := newCluster(t, d)
	for i := range 60 { // enough for a dictionary
		c.create(pod(fmt.Sprintf("p-%d", i), "x"))
	}
	stop := c.record("one")
	c.covered("one")
	for i := range 40 {
		c.modify("p-0", func(p *corev1.Pod) { p.Annotations["step"] = fmt.Sprint(i) })
	}
	c.covered("one")
	stop()
	o := c.object("p-0")
	revisions := allPages(t, history.OldestFirst, func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
		return c.h.Revisions(ctx, o.ID, p)
	})
	if len(revisions) != 41 {
		t.Fatalf("%d revisions", len(revisions))
	}
	for i, r := range revisions {
		text, _, err := c.h.Body(t.Context(), o.ID, r.Version)
		var body corev1.Pod
		if err == nil {
			err = json.Unmarshal(text, &body)
		}
		if want := map[bool]string{true: fmt.Sprint(i - 1)}[i > 0]; err != nil || body.Annotations["step"] != want || body.Name != "p-0" {
			t.Errorf("revision %d: %s, %v", i, text, err)
		}
	}
	if began, err := c.h.StateBegan(t.Context(), "", o.Type, o.UID, o.Version); err != nil || began != revisions[0].Version {
		t.Errorf("the state began at %v, %v; want %v", began, err, revisions[0].Version)
	}
	if _, err := c.h.StateBegan(t.Context(), "", o.Type, o.UID, wire.Version(1)<<40); !errors.Is(err, history.ErrUnknown) {
		t.Errorf("an unknown revision: %v", err)
	}
}

// recordFilters: each filter selects the matching items, in both orders, in small pages.
func recordFilters(t *testing.T, d *database) {
	c := newCluster(t, d)
	var want []string
	for i := range 12 {
		name := fmt.Sprintf("p-%02d", i)
		c.create(pod(name, fmt.Sprint("t", i%3)))
		want = append(want, name+" >Queued")
	}
	stop := c.record("one")
	c.covered("one")
	for i := range 12 {
		if i%2 == 0 {
			c.phase(fmt.Sprintf("p-%02d", i), "Running")
			want = append(want, fmt.Sprintf("p-%02d Queued>Running", i))
		}
	}
	c.covered("one")
	stop()
	team := func(n int) func(line string) bool {
		return func(line string) bool { return (int(line[2]-'0')*10+int(line[3]-'0'))%3 == n }
	}
	for name, f := range map[string]struct {
		history.Filter
		has func(line string) bool
	}{
		"all":       {history.Filter{}, func(string) bool { return true }},
		"label":     {history.Filter{Labels: labels.SelectorFromSet(labels.Set{"team": "t1"})}, team(1)},
		"labels":    {history.Filter{Labels: labels.SelectorFromSet(labels.Set{"team": "t2", "app": "train"})}, team(2)},
		"submitter": {history.Filter{Submitter: "ann-t0"}, team(0)},
		"state":     {history.Filter{States: []job.State{job.Running}}, func(line string) bool { return strings.HasSuffix(line, ">Running") }},
		"namespace": {history.Filter{Namespace: "ml", Types: []history.Type{{Resource: "pods"}}}, func(string) bool { return true }},
		"nothing":   {history.Filter{Labels: labels.SelectorFromSet(labels.Set{"team": "t9"})}, func(string) bool { return false }},
	} {
		expected := slices.DeleteFunc(slices.Clone(want), func(line string) bool { return !f.has(line) })
		oldest, newest := c.changes(f.Filter, history.OldestFirst), c.changes(f.Filter, history.NewestFirst)
		if !slices.Equal(sorted(oldest), sorted(expected)) {
			t.Errorf("%s: %q, want %q", name, oldest, expected)
		}
		if slices.Reverse(newest); !slices.Equal(newest, oldest) {
			t.Errorf("%s: the newest first: %q", name, newest)
		}
	}
}

// recordGap: versions that a server has compacted are a gap, and a list shows the current
// objects.
func recordGap(t *testing.T, d *database) {
	c := newCluster(t, d)
	c.create(pod("a", "x"))
	c.create(pod("b", "x"))
	stop := c.record("one")
	c.covered("one")
	stop()
	c.phase("a", "Running")
	c.phase("a", "Failed")
	c.remove("b")
	c.srv.Compact()
	stop = c.record("one")
	c.covered("one")
	stop()
	gaps := allPages(t, history.OldestFirst, func(ctx context.Context, p history.Paging) (history.Page[history.Gap], error) {
		return c.h.ListGaps(ctx, history.GapFilter{Open: true}, p)
	})
	if len(gaps) != 1 || gaps[0].Cause != history.CauseWindow || gaps[0].To <= gaps[0].From || gaps[0].Ended.IsZero() {
		t.Errorf("%+v", gaps)
	}
	if got := sorted(c.changes(history.Filter{}, history.OldestFirst)); !slices.Equal(got, []string{"a >Queued", "a Queued>Failed", "b >Queued", "b Queued>Deleted"}) {
		t.Errorf("%q", got)
	}
	if o := c.object("b"); o.Presence != history.Deleted || o.Gone.IsZero() {
		t.Errorf("%+v", o)
	}
}

// recordRetention: a prune removes old revisions and deleted objects, with their index
// entries, and keeps the current state of objects.
func recordRetention(t *testing.T, d *database) {
	c := newCluster(t, d)
	c.create(pod("a", "x"))
	c.create(pod("b", "y"))
	stop := c.record("one")
	c.covered("one")
	c.phase("a", "Running")
	c.phase("a", "Failed")
	c.remove("b")
	c.covered("one")
	stop()
	preview, err := retention.Preview(t.Context(), d.DB, retention.Policy{Keep: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	unlock, ours, err := d.TryLock(t.Context(), sqldb.RetentionLock)
	if err != nil || !ours {
		t.Fatal(ours, err)
	}
	if r, err := retention.Prune(t.Context(), d.DB, retention.Policy{Keep: time.Nanosecond}); err != nil || !r.Busy {
		t.Errorf("beside another: %+v, %v", r, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	r, err := retention.Prune(t.Context(), d.DB, retention.Policy{Keep: time.Nanosecond})
	if err != nil || r.Busy || r.Revisions == 0 || r.Revisions != preview.Revisions || r.Objects != 1 {
		t.Errorf("%+v, %v; the preview was %+v", r, err, preview)
	}
	if got := c.changes(history.Filter{}, history.OldestFirst); !slices.Equal(got, []string{"a Running>Failed"}) {
		t.Errorf("%q", got)
	}
	if o := c.object("a"); o.State != string(job.Failed) {
		t.Errorf("%+v", o)
	}
	if text, _, err := c.h.Body(t.Context(), c.object("a").ID, 0); err != nil || !strings.Contains(string(text), `"Failed"`) {
		t.Errorf("%s, %v", text, err)
	}
	if n := c.number("SELECT COUNT(*) FROM transition_index i WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.id = i.object_id)"); n != 0 {
		t.Errorf("got %d index entries of removed objects, want 0", n)
	}
}
