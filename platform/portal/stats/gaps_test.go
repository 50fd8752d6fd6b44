package stats

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/history"
)

// TestGapDetails: the detail of a gap may name an object, so only a person who sees all namespaces
// of the gap gets it, if they had these when it began. The gap itself, and its cause, are shown to all who see jobs that it affects.
func TestGapDetails(t *testing.T) {
	now := time.Unix(1e9, 0)
	gap := func(namespace string) history.Gap {
		return history.Gap{ID: 1, Cluster: "prod", Type: history.Type{Group: "batch", Resource: "jobs"}, Namespace: namespace, Cause: history.CauseInvalid, Began: now, Detail: "the job team-b/secret cannot be read"}
	}
	for _, c := range []struct {
		name, of      string
		sees          map[string]bool // "": all namespaces
		shown, detail bool
		since         time.Duration // from the begin of the gap to that of the namespaces
	}{
		{"all namespaces, to a person of one", "", map[string]bool{"team-b": true}, true, false, 0},
		{"all namespaces, to a person of all", "", map[string]bool{"": true, "team-b": true}, true, true, 0},
		{"a namespace, to its people", "team-b", map[string]bool{"team-b": true}, true, true, 0},
		{"a namespace, to others", "team-b", map[string]bool{"team-a": true}, false, false, 0},
		{"a namespace, to the people of a new one", "team-b", map[string]bool{"team-b": true}, true, false, time.Minute},
		{"a namespace, to the people of one after the window", "team-b", map[string]bool{"team-b": true}, false, false, 2 * time.Hour},
	} {
		all, err := new(gapReader).list(t.Context(), []history.Gap{gap(c.of)}, Window{now.Add(-time.Hour), now.Add(time.Hour)}, func(_ *history.Gap, namespace string, created time.Time) bool {
			return c.sees[namespace] && !created.Before(now.Add(c.since))
		}, "en")
		if err != nil {
			t.Fatal(err)
		}
		if (len(all) == 1) != c.shown || c.shown && ((all[0].Detail != "") != c.detail || all[0].Cause == "") {
			t.Errorf("%s: got %+v, want it shown: %v, with its detail: %v", c.name, all, c.shown, c.detail)
		}
	}
}
