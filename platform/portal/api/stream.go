package api

import "time"

// The stream consists of server-sent events. The ID of an event is the position in the feed up to
// which it reports. A browser that reconnects receives exactly the changes that it missed.
//
//	event: changes   data: Changes
//	event: beat      data: Beat, every 5 seconds
//	event: reset     data: Reset; the client must load everything again
//	event: rights    data: Rights; the person may see other jobs than before; load everything again
//
// The parameter after is the position to start after. The header Last-Event-ID takes precedence.

// Changes are transitions in the order of the feed.
type Changes struct {
	Changes []Change `json:"changes"`
	// Behind is the number of positions of the feed that follow. It is not 0 while the portal
	// replays changes.
	Behind int64 `json:"behind,omitempty"`
}

// Change is a transition of a job.
type Change struct {
	Position int64 `json:"position"`
	// Kind is new, late, corrected or withdrawn.
	Kind string `json:"kind"`
	// Before is the previous state of the job, whose count decreases; empty if the job was unknown.
	Before string `json:"before,omitempty"`
	// Job is the row after the change. Its life is complete.
	Job Job `json:"job"`
	// Seen is when the recorder saw the revision.
	Seen time.Time `json:"seen"`
	// Removed reports that the job is no longer in the history.
	Removed bool `json:"removed,omitempty"`
}

// Beat shows that the stream is alive.
type Beat struct {
	Now      time.Time `json:"now"`
	Position int64     `json:"position"`
	// Lag is how old the newest reported transition was when it reached the portal, in seconds:
	// the 99th percentile of the last minute.
	Lag float64 `json:"lag"`
	// Stale is since when the portal cannot reach the database; missing if it can.
	Stale time.Time `json:"stale,omitzero"`
	// Unrecorded are the clusters and types that are not recorded now, as far as the person sees
	// them; missing if all are.
	Unrecorded []Unrecorded `json:"unrecorded,omitempty"`
	// Rights identifies the set of jobs that the person may see. Only the first beat of a stream
	// has it. A client that had another value before must load everything again, as after the event
	// rights.
	Rights string `json:"rights,omitempty"`
}

// Unrecorded is a part of the history that is not current.
type Unrecorded struct {
	Cluster string `json:"cluster"` // empty: no recorder has ever written to the database
	// Type is a type ("jobs.batch"); empty: all types of the cluster.
	Type string `json:"type,omitempty"`
	// Since is the instant up to which everything that was seen is in the history.
	Since time.Time `json:"since,omitzero"`
	// Behind reports that a recorder runs, and has not yet written what it saw after Since.
	// Otherwise no recorder runs.
	Behind bool `json:"behind,omitempty"`
}

// UnrecordedList has the parts of the history that are not current, as far as the person sees
// them.
type UnrecordedList struct {
	Unrecorded []Unrecorded `json:"unrecorded"`
}

// Rights reports that the person may see other jobs than before.
type Rights struct {
	// Rights has the meaning of Beat.Rights.
	Rights string `json:"rights"`
}

// Reset tells a client to load everything again, and why.
type Reset struct {
	Reason   string `json:"reason"` // "expired", "behind", "restored"
	Position int64  `json:"position"`
}
