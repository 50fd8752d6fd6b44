package history_test

import (
	"fmt"
	"slices"
	"time"

	k8slabels "k8s.io/apimachinery/pkg/labels"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// drawRevisions draws the revisions of a few objects, with many equal times, and with
// changing labels and queues.
func drawRevisions(t *rapid.T) (all []revision) {
	one := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	version := wire.Version(1)
	for i := range rapid.IntRange(1, 25).Draw(t, "objects") {
		r := revision{
			Cluster: int64(rapid.IntRange(1, 2).Draw(t, "cluster")), Resource: int64(rapid.IntRange(1, 3).Draw(t, "type")), Namespace: one("namespace", "", "ml", "web"),
			Name: one("name", "x", "y"), UID: fmt.Sprint("uid-", i), Owner: one("owner", "", "o", "p"), Queue: one("queue", "", "gpu", "cpu"), Submitter: one("user", "", "ann", "bob"),
		}
		at := begin.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * 20 * time.Minute)
		for range rapid.IntRange(1, 6).Draw(t, "revisions") {
			version++
			at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "later")) * 30 * time.Minute)
			r.Version, r.Seen = version, at
			r.State = rapid.SampledFrom([]job.State{job.Queued, job.Running, job.Failed, "", job.Running}).Draw(t, "state")
			r.Labels = map[string]string{"app": "train", "team": one("team", "x", "y")}
			if rapid.IntRange(0, 5).Draw(t, "requeued") == 0 {
				r.Queue = one("queue", "gpu", "cpu")
			}
			all = append(all, r)
		}
		if rapid.Bool().Draw(t, "deleted") {
			version++
			r.Version, r.State = version, job.Deleted
			all = append(all, r)
		}
	}
	return all
}

// drawFilter draws a filter, and returns it with a function that reports whether an object
// matches, apart from its state and time.
func drawFilter(t *rapid.T) (history.Filter, func(o history.Object, labels map[string]string) bool) {
	var f history.Filter
	seldom := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, what) == 0 }
	one := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	if seldom("by cluster") {
		f.Cluster = one("cluster", "a", "uid-b", "c")
	}
	if seldom("by type") {
		f.Types = []history.Type{{Resource: "pods"}, {Group: "batch", Resource: "jobs"}, {Resource: "cows"}}[rapid.IntRange(0, 2).Draw(t, "type"):]
	}
	if seldom("by namespace") {
		f.Namespace = one("namespace", "ml", "web", "no")
	}
	if seldom("by owner") {
		f.Owner = []history.Owner{{Kind: "Job", Name: "o"}, {UID: "uid-p"}, {Kind: "Job", Name: "o", UID: "uid-p"}}[rapid.IntRange(0, 2).Draw(t, "owner")]
	}
	if seldom("by queue") {
		f.Queue = one("queue", "gpu", "cpu")
	}
	if seldom("by user") {
		f.Submitter = one("user", "ann", "eve")
	}
	if seldom("by label") {
		f.Labels, _ = history.ParseLabels(one("selector", "app=train,team=x", "team=x", "team in (x,y)", "team!=x", "app=train,team notin (x)", "team", "!team", "app,!team,team!=y"))
	}
	if seldom("by state") {
		f.States = []job.State{job.Running, job.Failed, job.Deleted}[rapid.IntRange(0, 2).Draw(t, "states"):]
	}
	if seldom("since") {
		f.Since = begin.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "since")) * 10 * time.Minute)
	}
	if seldom("until") {
		f.Until = begin.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "until")) * 10 * time.Minute)
	}
	return f, func(o history.Object, labels map[string]string) bool {
		is := func(want, got string) bool { return want == "" || want == got }
		if f.Labels != nil && !f.Labels.Matches(k8slabels.Set(labels)) {
			return false
		}
		types := f.Types == nil || slices.ContainsFunc(f.Types, func(t history.Type) bool { return t.Group == o.Type.Group && t.Resource == o.Type.Resource })
		return types && (is(f.Cluster, o.Cluster) || is(f.Cluster, o.ClusterUID)) && is(f.Namespace, o.Namespace) && is(f.Owner.UID, o.Owner.UID) && is(f.Owner.Kind, o.Owner.Kind) &&
			is(f.Owner.Name, o.Owner.Name) && is(f.Queue, o.Queue) && is(f.Submitter, o.Submitter)
	}
}
