package readapi

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Limits of conclusions from the coverage of a recorder.
const (
	aliveFor  = 3 * time.Minute // a recorder that watches stores its coverage more often, bookmarks included
	goneAfter = 30 * 24 * time.Hour
	lastHour  = 60 // minutes
	// recentPositions is the number of positions of the feed that are read.
	recentPositions = 5_000
)

// watches returns the states of recorders from the database: the phase of a recorder in
// another process is derived from its heartbeats, its coverage and its gaps.
func watches(a *history.Activity, fresh []history.Freshness, gaps []history.Gap, now time.Time) []api.Watch {
	all := []api.Watch{}
	for i := range a.Coverage {
		c := &a.Coverage[i]
		silent := now.Sub(c.Reached)
		if silent > goneAfter {
			continue
		}
		w := api.Watch{
			Cluster: c.Cluster, Type: c.Type.String(), Namespace: c.Namespace, Recorder: c.Recorder, Version: c.Version.String(),
			Since: instant(c.Began), Lag: -1, Objects: c.Objects, Bytes: c.Bytes, Queued: -1, Phase: "watching",
		}
		if silent > aliveFor {
			w.Phase, w.Note = "unknown", "The recorder has been silent since "+utc(c.Reached)+"."
		}
		withFreshness(&w, c, fresh, now)
		withGaps(&w, c, gaps, now)
		withRecent(&w, c, a, now)
		all = append(all, w)
	}
	slices.SortStableFunc(all, func(x, y api.Watch) int {
		return cmp.Or(cmp.Compare(x.Cluster, y.Cluster), cmp.Compare(x.Type, y.Type), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Recorder, y.Recorder))
	})
	return all
}

// withFreshness adds what the heartbeats tell of a watch.
func withFreshness(w *api.Watch, c *history.Coverage, fresh []history.Freshness, now time.Time) {
	i := slices.IndexFunc(fresh, func(f history.Freshness) bool {
		return f.ClusterUID == c.ClusterUID && f.Type == c.Type && f.Namespace == c.Namespace
	})
	if i < 0 {
		return
	}
	f := &fresh[i]
	switch state := f.Recording(now); {
	case state == history.Stale:
		w.Phase, w.Note = "unknown", "The recorder has been silent since "+utc(f.Renewed)+"."
	case f.Recorder != c.Recorder: // its own coverage tells
	case state == history.Behind:
		w.Phase, w.Note = "behind", "Everything up to "+utc(f.Committed)+" is recorded."
	case f.Unconfirmed(now):
		w.Phase, w.Note = "watching", "Not confirmed since "+utc(f.Heard)+": the server has sent nothing, not even a bookmark."
	default:
		w.Phase, w.Note = "watching", ""
	}
}

// utc returns a time for a note.
func utc(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") + " UTC" }

// withGaps adds the gaps of a watch within a day, and the phase of a lasting gap.
func withGaps(w *api.Watch, c *history.Coverage, gaps []history.Gap, now time.Time) {
	for i := range gaps {
		g := &gaps[i]
		if g.ClusterUID != c.ClusterUID || g.Type != c.Type || g.Namespace != c.Namespace || g.Recorder != c.Recorder {
			continue
		}
		if end := g.Ended; end.IsZero() || now.Sub(end) < 24*time.Hour {
			w.Gaps24h++
		}
		if !g.Ended.IsZero() || !g.Healed.IsZero() {
			continue
		}
		switch g.Cause {
		case history.CauseDenied:
			w.Phase, w.Note, w.Role = "denied", "The recorder lacks the right to list and watch.", roleFor(c)
		case history.CauseAbsent:
			w.Phase, w.Note = "absent", "The API server does not serve the type."
		}
	}
}

// roleFor returns the role that lets a recorder list and watch a type.
func roleFor(c *history.Coverage) string {
	kind, place := "ClusterRole", ""
	if c.Namespace != "" {
		kind, place = "Role", "\n  namespace: "+strconv.Quote(c.Namespace)
	}
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: " + kind + "\nmetadata:\n  name: vedette-recorder" + place +
		"\nrules:\n- apiGroups: [" + strconv.Quote(c.Type.Group) + "]\n  resources: [" + strconv.Quote(c.Type.Resource) + "]\n  verbs: [\"list\", \"watch\"]\n"
}

// withRecent adds the lag of the newest transition, and the transitions of the last hour if the
// sample covers it.
func withRecent(w *api.Watch, c *history.Coverage, a *history.Activity, now time.Time) {
	if len(a.Recent) == 0 {
		return
	}
	complete := now.Sub(a.Recent[0].At) >= time.Hour || len(a.Recent) < recentPositions
	if complete && c.Namespace == "" {
		w.Events = make([]int, lastHour)
	}
	for i := range a.Recent {
		r := &a.Recent[i]
		if r.ClusterUID != c.ClusterUID || r.Type != c.Type {
			continue
		}
		if now.Sub(r.At) < aliveFor && c.Namespace == "" {
			w.Lag = max(r.At.Sub(r.Seen).Seconds(), 0)
		}
		if minute := int(now.Sub(r.At) / time.Minute); w.Events != nil && minute >= 0 && minute < lastHour {
			w.Events[lastHour-1-minute]++
		}
	}
}
