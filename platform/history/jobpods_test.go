package history_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

const setLabel = "jobset.sigs.k8s.io/jobset-name"

// writePods writes jobs and pods of several chains of owners, and returns the jobs.
func writePods(t *testing.T, ctx context.Context, h *history.History, store func([]revision) error) []history.Object {
	t.Helper()
	var all []revision
	version := wire.Version(0)
	add := func(cluster, resource int64, namespace, name, owner, set string, states ...job.State) {
		for i, s := range states {
			version++
			r := revision{Cluster: cluster, Resource: resource, Namespace: namespace, Name: name, UID: fmt.Sprintf("uid-%s", name), Version: version, State: s, Seen: begin.Add(time.Duration(i) * time.Minute), Owner: owner}
			if name == "set" {
				r.Facts = &job.Facts{PodLabel: setLabel, PodLabelValue: name}
			}
			if set != "" {
				r.Labels = map[string]string{setLabel: set}
			}
			all = append(all, r)
		}
	}
	add(1, 2, "ml", "train", "", "", job.Running)
	add(1, 1, "ml", "direct", "train", "", job.Queued, job.Running, job.Restarting, job.Running, job.Succeeded, job.Deleted)
	add(1, 2, "ml", "part", "train", "", job.Running)
	add(1, 1, "ml", "indirect", "part", "", job.Running)
	add(1, 1, "ml", "stranger", "somebody", "", job.Running)
	add(2, 1, "ml", "abroad", "train", "", job.Running)   // a UID of another cluster
	add(1, 1, "web", "claimed", "train", "", job.Running) // of an owner elsewhere
	add(1, 2, "web", "claim", "train", "", job.Running)
	add(1, 1, "web", "through", "claim", "", job.Running)
	add(1, 2, "ml", "set", "", "", job.Running)
	add(1, 1, "ml", "marked", "unrecorded", "set", job.Failed)
	add(1, 1, "web", "elsewhere", "unrecorded", "set", job.Running)
	if err := store(all); err != nil {
		t.Fatal(err)
	}
	var jobs []history.Object
	for o, err := range history.All(ctx, history.Paging{}, func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
		return h.ListObjects(ctx, history.Filter{}, p)
	}) {
		if err != nil {
			t.Fatal(err)
		}
		switch o.Name {
		case "train":
			jobs = append(jobs, o)
		case "set":
			o.Type = history.Type{Group: "jobset.x-k8s.io", Resource: "jobsets", Kind: "JobSet"}
			jobs = append(jobs, o)
		}
	}
	return jobs
}

// TestPodsOf: pods of a job are those that it controls, also through other objects, and those
// with the label of its operator in its namespace. Others are not, nor those of another cluster or namespace.
func TestPodsOf(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		jobs := writePods(t, t.Context(), h, func(all []revision) error { return write(t.Context(), db, all) })
		pods, err := h.PodsOf(t.Context(), jobs, 100)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, j := range jobs {
			var names []string
			for _, p := range pods[j.ID] {
				names = append(names, p.Name)
			}
			slices.Sort(names)
			got[j.Name] = strings.Join(names, " ")
		}
		if got["train"] != "direct indirect" || got["set"] != "marked" || len(got) != 2 {
			t.Errorf("got %v, want train with direct and indirect, and set with marked", got)
		}
		if pods, err := h.PodsOf(t.Context(), nil, 100); len(pods) != 0 || err != nil {
			t.Errorf("without jobs: %v, %v", pods, err)
		}
	})
}

// TestLives: the life of a pod has its spans and its outcome, also after it was deleted.
func TestLives(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		jobs := writePods(t, t.Context(), h, func(all []revision) error { return write(t.Context(), db, all) })
		pods, err := h.PodsOf(t.Context(), jobs, 100)
		if err != nil {
			t.Fatal(err)
		}
		var all []history.Object
		for _, some := range pods {
			all = append(all, some...)
		}
		now := begin.Add(time.Hour)
		lives, err := h.Lives(t.Context(), all, now)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"direct":   "Queued 0s-1m0s Running 1m0s-2m0s Restarting 2m0s-3m0s Running 3m0s-4m0s: Succeeded 4m0s, tries 2",
			"indirect": "Running 0s-1h0m0s:  never, tries 1",
			"marked":   ": Failed 0s, tries 1",
		}
		for i := range all {
			l := lives[all[i].ID]
			text := ""
			for _, s := range l.Spans {
				text += fmt.Sprintf(" %s %v-%v", s.State, s.From.Sub(begin), s.To.Sub(begin))
			}
			ended := "never"
			if !l.Ended.IsZero() {
				ended = l.Ended.Sub(begin).String()
			}
			if text = strings.TrimSpace(fmt.Sprintf("%s: %s %s, tries %d", text, l.Outcome, ended, l.Attempts)); text != want[all[i].Name] {
				t.Errorf("%s: %q, want %q", all[i].Name, text, want[all[i].Name])
			}
		}
	})
}

// TestObjectsBetween: the names of an interval.
func TestObjectsBetween(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		writePods(t, t.Context(), h, func(all []revision) error { return write(t.Context(), db, all) })
		pods := history.Type{Resource: "pods", Kind: "Pod"}
		page, err := h.ObjectsBetween(t.Context(), history.ObjectName{Type: pods, Namespace: "ml", Name: "d", Cluster: "uid-a"}, "j", history.Paging{Limit: 10})
		var names []string
		for _, o := range page.Items {
			names = append(names, o.Name)
		}
		slices.Sort(names)
		if text := strings.Join(names, " "); text != "direct indirect" || err != nil {
			t.Errorf("got %s and error %v, want direct and indirect", text, err)
		}
	})
}
