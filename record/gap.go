package record

import "github.com/vedette-io/vedette/record/internal/model"

// Causes of gaps, which are the keys of Stats.Gaps.
const (
	// CauseWindow: the server no longer had the events after the version.
	CauseWindow = model.CauseWindow
	// CauseDenied: the rights to list and watch were missing.
	CauseDenied = model.CauseDenied
	// CauseAbsent: the server did not serve the type.
	CauseAbsent = model.CauseAbsent
	// CauseRebuilt: another cluster has replaced this one.
	CauseRebuilt = model.CauseRebuilt
	// CauseInvalid: an object in a list or an event was unusable.
	CauseInvalid = model.CauseInvalid
	// CauseRefused: the database rejected a revision.
	CauseRefused = model.CauseRefused
	// CauseUnordered: the server does not order versions, and a revision had a version
	// that was not newer than the one before it.
	CauseUnordered = model.CauseUnordered
)
