package api

import "time"

// The stream consists of server-sent events. The ID of an event is the position in the feed
// up to which it reports, so a browser that connects again receives exactly what it missed.
//
//	event: changes   data: Changes
//	event: beat      data: Beat, every 5 seconds
//	event: reset     data: Reset; the client must load everything again
//	event: rights    data: Rights; what the person may see has changed; load everything again
//
// The parameter after is the position to begin behind; the header Last-Event-ID goes before it.

// Changes are transitions in the order of the feed.
type Changes struct {
	Changes []Change `json:"changes"`
	// Behind is how many positions of the feed follow; not 0 while the portal replays.
	Behind int64 `json:"behind,omitempty"`
}

// Change is a transition of a job.
type Change struct {
	Position int64 `json:"position"`
	// Kind is new, late, corrected or withdrawn.
	Kind string `json:"kind"`
	// Before is the state from which the counts move to that of the job; empty if the job was
	// not known.
	Before string `json:"before,omitempty"`
	// Job is the row after the change. Its life is complete.
	Job Job `json:"job"`
	// Seen is when the recorder saw the revision.
	Seen time.Time `json:"seen"`
	// Removed says that the job is no longer in the history.
	Removed bool `json:"removed,omitempty"`
}

// Beat says that the stream lives.
type Beat struct {
	Now      time.Time `json:"now"`
	Position int64     `json:"position"`
	// Lag is how old the newest reported transition was when it reached the portal, in seconds:
	// the 99th percentile of the last minute.
	Lag float64 `json:"lag"`
	// Stale is since when the portal has not reached the database; missing if it does.
	Stale time.Time `json:"stale,omitzero"`
	// Rights stands for what the person may see, in the first beat of a stream. A client that
	// had another one before has to load everything again, as after the event rights.
	Rights string `json:"rights,omitempty"`
}

// Rights says that the person sees something else than before.
type Rights struct {
	// Rights is as that of Beat.
	Rights string `json:"rights"`
}

// Reset says why a client must load everything again.
type Reset struct {
	Reason   string `json:"reason"` // "expired", "behind", "restored"
	Position int64  `json:"position"`
}
