package api

import "time"

// Operations is the state of recorders, notifiers and the portal.
type Operations struct {
	At      time.Time `json:"at"`
	Summary Summary   `json:"summary"`
	Watches []Watch   `json:"watches"`
	Cursors []Cursor  `json:"cursors"`
	Head    int64     `json:"head"` // the last position of the feed
	// Channels are missing if the database has no notifications.
	Channels []ChannelState `json:"channels,omitempty"`
	Gaps     []Gap          `json:"gaps"`
	Dead     Count          `json:"dead"` // dead letters
	Acts     []AuditEntry   `json:"acts"` // the newest writes of the portal
}

// Summary are the numbers at the top of the page. A number that is not known is -1.
type Summary struct {
	TransitionsPerSecond float64 `json:"transitionsPerSecond"`
	// ToRow and ToBrowser are the 99th percentiles of the last minutes, in seconds.
	ToRow     float64 `json:"toRow"`
	ToBrowser float64 `json:"toBrowser"`
	Browsers  int     `json:"browsers"` // open streams
	// Waiting counts entries of the outbox that have no position in the feed yet.
	Waiting       int64 `json:"waiting"`
	DatabaseBytes int64 `json:"databaseBytes"`
	Jobs          int   `json:"jobs"`      // in the index of the portal
	JobsBytes     int64 `json:"jobsBytes"` // its memory
	// Attention lists the items that need an operator, as short words.
	Attention []string `json:"attention"`
}

// Watch is the state of one recorder for one type of a cluster.
type Watch struct {
	Cluster   string    `json:"cluster"`
	Type      string    `json:"type"`
	Namespace string    `json:"namespace,omitempty"`
	Recorder  string    `json:"recorder"`
	Phase     string    `json:"phase"` // watching, behind, listing, waiting, denied, absent, stopped, unknown
	Since     time.Time `json:"since,omitzero"`
	Version   string    `json:"version,omitempty"`
	Lag       float64   `json:"lag"` // seconds; -1 if unknown
	Objects   int       `json:"objects"`
	Bytes     int64     `json:"bytes"` // of the last bodies of the objects; -1 if unknown
	// Queued counts changes that wait to be written; -1 if the recorder is another process.
	Queued  int    `json:"queued"`
	Gaps24h int    `json:"gaps24h"`
	Note    string `json:"note,omitempty"`
	Role    string `json:"role,omitempty"` // YAML of a role that grants the missing right
	// Events counts transitions or revisions per minute of the last hour.
	Events []int `json:"events,omitempty"`
}

// Cursor is the progress of a consumer of the feed.
type Cursor struct {
	Reader   string `json:"reader"`
	Position int64  `json:"position"`
	Behind   int64  `json:"behind"`
	// By is how long ago the last read was, in seconds.
	By      float64   `json:"by"`
	Expired time.Time `json:"expired,omitzero"`
}

// ChannelState is the state of a channel.
type ChannelState struct {
	Name     string    `json:"name"`
	State    string    `json:"state"` // works, pauses, disabled
	Until    time.Time `json:"until,omitzero"`
	Sent24h  int       `json:"sent24h"`
	Waiting  int       `json:"waiting"`
	Dead     int       `json:"dead"`
	Failures int       `json:"failures"`
	Answers  float64   `json:"answers"` // seconds from due to sent, median; -1 if unknown
	Reason   string    `json:"reason,omitempty"`
}

// AuditEntry is a write of the portal.
type AuditEntry struct {
	At     time.Time `json:"at"`
	Person string    `json:"person"` // a name, or a qualified name such as cluster:prod:anna
	// SignIn is how the person had signed in. Address is their network address.
	SignIn  string  `json:"signIn"`
	Address string  `json:"address"`
	Act     string  `json:"act"` // submit, stop, retry, subscribe, replay ...
	Object  string  `json:"object"`
	Job     *JobRef `json:"job,omitempty"`
	Result  string  `json:"result"` // done, denied, failed
	Detail  string  `json:"detail,omitempty"`
	Repeats int64   `json:"repeats,omitempty"` // further acts that were refused in the same way within the hour
}
