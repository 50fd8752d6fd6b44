package records

import (
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// sources are the words of the API.
var sources = map[history.Source]string{history.Watched: "watched", history.Listed: "listed", history.Relisted: "relisted", history.Inferred: "inferred", history.Reshown: "reshown"}

// sourceOf returns the source of a word; 0 for an unknown one.
func sourceOf(word string) history.Source {
	for s, w := range sources {
		if w == word {
			return s
		}
	}
	return 0
}

// OfTransition returns a transition for the API, with the full precision of its times.
func OfTransition(t *history.Transition) api.Transition {
	return api.Transition{
		Version: t.Version.String(), From: t.From, To: t.To, FromRaw: t.FromRaw, ToRaw: t.ToRaw, Reason: t.Reason, Message: t.Message,
		Happened: t.Happened.UTC(), Seen: t.Seen.UTC(), Ended: t.Ended.UTC(), Source: sources[t.Source],
	}
}

// transitionOf is the inverse of OfTransition.
func transitionOf(t *api.Transition) history.Transition {
	return history.Transition{
		Version: versionOf(t.Version), From: t.From, To: t.To, FromRaw: t.FromRaw, ToRaw: t.ToRaw, Reason: t.Reason, Message: t.Message,
		Happened: t.Happened, Seen: t.Seen, Ended: t.Ended, Source: sourceOf(t.Source),
	}
}

// OfRevision returns a revision for the API, with the full precision of its time.
func OfRevision(r *history.Revision) api.Revision {
	return api.Revision{Version: r.Version.String(), State: r.State, Raw: r.Raw, Seen: r.Seen.UTC(), Source: sources[r.Source], Deleted: r.Deleted}
}

// revisionOf is the inverse of OfRevision.
func revisionOf(r *api.Revision) history.Revision {
	return history.Revision{Version: versionOf(r.Version), State: r.State, Raw: r.Raw, Seen: r.Seen, Source: sourceOf(r.Source), Deleted: r.Deleted}
}

// OfGap returns a gap for the API.
func OfGap(g *history.Gap) api.RecordGap {
	return api.RecordGap{
		Gap:        api.Gap{ID: g.ID, Cluster: g.Cluster, Type: g.Type.String(), Namespace: g.Namespace, From: g.Began.UTC(), To: g.Ended.UTC(), Cause: g.Cause, Detail: g.Detail, Changes: -1, Closed: !g.Healed.IsZero()},
		ClusterUID: g.ClusterUID, Of: OfType(g.Type), Recorder: g.Recorder, FromVersion: g.From.String(), ToVersion: g.To.String(), Healed: g.Healed.UTC(),
	}
}

// gapOf is the inverse of OfGap.
func gapOf(g *api.RecordGap) history.Gap {
	return history.Gap{
		ID: g.ID, Cluster: g.Cluster, ClusterUID: g.ClusterUID, Type: typeOf(g.Of), Namespace: g.Namespace, Recorder: g.Recorder, Cause: g.Cause,
		From: versionOf(g.FromVersion), To: versionOf(g.ToVersion), Began: g.From, Ended: g.To, Detail: g.Detail, Healed: g.Healed,
	}
}

// OfUnrecorded returns parts of the history for the API, with whole seconds.
func OfUnrecorded(all []history.Unrecorded) []api.Unrecorded {
	parts := make([]api.Unrecorded, len(all))
	for i, u := range all {
		parts[i] = api.Unrecorded{Cluster: u.Cluster, Since: u.Since.UTC().Truncate(time.Second), Behind: u.Behind}
		if u.Type != (history.Type{}) {
			parts[i].Type = u.Type.String()
		}
	}
	return parts
}

// unrecordedOf is the inverse of OfUnrecorded for one part.
func unrecordedOf(u *api.Unrecorded) history.Unrecorded {
	resource, group, _ := strings.Cut(u.Type, ".")
	return history.Unrecorded{Cluster: u.Cluster, Type: history.Type{Group: group, Resource: resource}, Since: u.Since, Behind: u.Behind}
}
