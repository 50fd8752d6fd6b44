package record

import "github.com/vedette-io/vedette/platform/internal/model"

// Causes of gaps. They are the keys of Stats.Gaps.
const (
	// CauseWindow: the server no longer had the events after the resume point.
	CauseWindow = model.CauseWindow
	// CauseDenied: the recorder lacked the right to list or watch.
	CauseDenied = model.CauseDenied
	// CauseAbsent: the server did not serve the type.
	CauseAbsent = model.CauseAbsent
	// CauseRebuilt: a different cluster has replaced this one.
	CauseRebuilt = model.CauseRebuilt
	// CauseRestored: the server has lost versions, as after a restore from a backup.
	CauseRestored = model.CauseRestored
	// CauseInvalid: an object in a list or an event was unusable.
	CauseInvalid = model.CauseInvalid
	// CauseRefused: the database rejected a revision, or its body.
	CauseRefused = model.CauseRefused
	// CauseUnordered: the server does not order versions, and the version of a revision was
	// not newer than the previous one.
	CauseUnordered = model.CauseUnordered
)
