package jobview

import (
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// sourceOf returns the source of a revision in the API's word.
func sourceOf(s history.Source) string {
	switch s {
	case history.Watched:
		return "watched"
	case history.Listed:
		return "listed"
	case history.Relisted:
		return "relisted"
	}
	return "inferred"
}

// Transition returns a transition for the API. notified is the number of messages about it.
func Transition(t *history.Transition, notified int) api.Transition {
	return api.Transition{
		Version: t.Version.String(), From: t.From, To: t.To, FromRaw: t.FromRaw, ToRaw: t.ToRaw, Reason: t.Reason, Message: t.Message,
		Happened: instant(t.Happened), Seen: instant(t.Seen), Ended: instant(t.Ended), Source: sourceOf(t.Source), Notified: notified,
	}
}

// Revision returns a revision for the API.
func Revision(r *history.Revision) api.Revision {
	return api.Revision{Version: r.Version.String(), State: r.State, Raw: r.Raw, Seen: instant(r.Seen), Source: sourceOf(r.Source), Deleted: r.Deleted}
}
