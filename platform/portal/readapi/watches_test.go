package readapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestWatches: the phase of a watch follows from its coverage and its gaps, and is unknown
// without them.
func TestWatches(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	jobs, pods := history.Type{Group: "batch", Resource: "jobs", Kind: "Job"}, history.Type{Resource: "pods", Kind: "Pod"}
	cover := func(of history.Type, namespace string, ago time.Duration) history.Coverage {
		return history.Coverage{Cluster: "west", ClusterUID: "u", Type: of, Namespace: namespace, Recorder: "r", Reached: now.Add(-ago), Began: now.Add(-time.Hour), Objects: 5, Version: 9}
	}
	a := &history.Activity{Coverage: []history.Coverage{
		cover(jobs, "", time.Minute), cover(pods, "", 4*time.Minute), cover(pods, "denied", time.Minute), cover(pods, "absent", time.Minute), cover(pods, "old", 40*24*time.Hour),
	}}
	for i := range 3 {
		a.Recent = append(a.Recent, history.Recorded{ClusterUID: "u", Type: jobs, Seen: now.Add(-time.Duration(i+1) * time.Second), At: now.Add(-time.Duration(i) * time.Second)})
	}
	gaps := []history.Gap{
		{ClusterUID: "u", Type: jobs, Recorder: "r", Cause: history.CauseWindow, Began: now.Add(-2 * time.Hour), Ended: now.Add(-time.Hour)},
		{ClusterUID: "u", Type: jobs, Recorder: "r", Cause: history.CauseWindow, Began: now.Add(-200 * time.Hour), Ended: now.Add(-100 * time.Hour)},
		{ClusterUID: "u", Type: jobs, Recorder: "another", Cause: history.CauseDenied, Began: now.Add(-time.Hour)},
		{ClusterUID: "u", Type: pods, Namespace: "denied", Recorder: "r", Cause: history.CauseDenied, Began: now.Add(-time.Hour)},
		{ClusterUID: "u", Type: pods, Namespace: "absent", Recorder: "r", Cause: history.CauseAbsent, Began: now.Add(-time.Hour)},
	}
	var text []string
	for _, w := range watches(a, nil, gaps, now) {
		text = append(text, fmt.Sprintf("%s %s %s gaps %d lag %v role %v note %v events %d", w.Type, w.Namespace, w.Phase, w.Gaps24h, w.Lag, w.Role != "", w.Note != "", len(w.Events)))
	}
	want := []string{
		"jobs.batch  watching gaps 1 lag 1 role false note false events 60",
		"pods  unknown gaps 0 lag -1 role false note true events 60",
		"pods absent absent gaps 1 lag -1 role false note true events 0",
		"pods denied denied gaps 1 lag -1 role true note true events 0",
	}
	if strings.Join(text, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(text, "\n"), strings.Join(want, "\n"))
	}
	told := joined(watches(a, nil, gaps, now), []api.Watch{{Cluster: "west", Type: "pods", Phase: "listing", Objects: -1}, {Cluster: "east", Type: "pods", Phase: "stopped"}})
	if told[1].Phase != "listing" || told[1].Objects != 5 || told[1].Recorder != "r" || len(told) != 5 || told[4].Cluster != "east" {
		t.Errorf("got %+v, want the phase of west, 5 objects, and east as the fifth", told)
	}
	fresh := []history.Freshness{
		{ClusterUID: "u", Type: jobs, Recorder: "r", Renewed: now, Committed: now.Add(-time.Minute), Heard: now},
		{ClusterUID: "u", Type: pods, Recorder: "r", Renewed: now.Add(-time.Minute), Committed: now.Add(-time.Minute), Heard: now},
	}
	told = joined(watches(a, fresh, gaps, now), []api.Watch{{Cluster: "west", Type: "jobs.batch", Phase: "watching"}})
	if told[0].Phase != "behind" || told[1].Phase != "unknown" || told[2].Phase != "absent" {
		t.Errorf("got %+v, want jobs behind, and pods unknown", told)
	}
	fresh[0].Committed, fresh[0].Heard = now, now.Add(-10*time.Minute)
	if w := watches(a, fresh, gaps, now)[0]; w.Phase != "watching" || !strings.HasPrefix(w.Note, "Not confirmed since ") {
		t.Errorf("got %+v, want a note that nothing confirms the watch", w)
	}
	role := roleFor(&a.Coverage[2])
	if !strings.Contains(role, "kind: Role\n") || !strings.Contains(role, `namespace: "denied"`) || !strings.Contains(roleFor(&a.Coverage[0]), "kind: ClusterRole\n") {
		t.Errorf("got role %s, want a Role for namespace denied and a ClusterRole for all", role)
	}
}

// TestAttention: each problem that needs a person is one word.
func TestAttention(t *testing.T) {
	now := time.Now()
	o := &api.Operations{
		Watches: []api.Watch{{Phase: "watching"}, {Phase: "denied"}, {Phase: "unknown"}}, Cursors: []api.Cursor{{Expired: now}}, Dead: api.Count{N: 2},
		Channels: []api.ChannelState{{State: "pauses"}}, Gaps: []api.Gap{{}, {Closed: true}},
	}
	if got := fmt.Sprint(attention(o, true, true)); got != "[database watch cursor channel dead letters namespace names gap]" {
		t.Errorf("got %q, want %q", got, "[database watch cursor channel dead letters gap]")
	}
	if got := attention(&api.Operations{Watches: []api.Watch{{Phase: "watching"}}}, false, false); len(got) != 0 {
		t.Errorf("got %q, want nothing that needs attention", got)
	}
	if p := percentile([]float64{5, 1, 3}, 50); p != 3 || percentile(nil, 99) != -1 || percentile([]float64{2}, 99) != 2 {
		t.Errorf("got the median %v, want 3; of no values, want -1; of one value, want it", p)
	}
}

// TestMasked: an address of another person reveals only its kind.
func TestMasked(t *testing.T) {
	for address, want := range map[string]string{"": "", "ana@example.com": "a…@example.com", "https://hooks.example.com/secret": "h…", "@x": "\ufffd…@x"} {
		if got := masked(address); got != want && address != "@x" || strings.Contains(got, "secret") {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}
