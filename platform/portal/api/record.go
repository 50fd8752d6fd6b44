package api

import "time"

// Records are objects of all recorded types, with their IDs in the database. The command line uses
// them; the pages use jobs.

// RecordType is a type of objects.
type RecordType struct {
	Group    string `json:"group,omitempty"`
	Resource string `json:"resource"` // "jobs"
	Kind     string `json:"kind"`
}

// RecordTypes are the types that are recorded.
type RecordTypes struct {
	Types []RecordType `json:"types"`
}

// Record is an object in its last recorded state.
type Record struct {
	ID         int64      `json:"id"`
	Cluster    string     `json:"cluster"`
	ClusterUID string     `json:"clusterUID"`
	Type       RecordType `json:"type"`
	Namespace  string     `json:"namespace,omitempty"`
	Name       string     `json:"name"`
	UID        string     `json:"uid"`
	Created    time.Time  `json:"created"`
	Seen       time.Time  `json:"seen"` // when it was first seen
	Gone       time.Time  `json:"gone,omitzero"`
	Version    string     `json:"version"`
	State      string     `json:"state,omitempty"`
	Raw        string     `json:"raw,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Message    string     `json:"message,omitempty"`
	Since      time.Time  `json:"since"`
	Queue      string     `json:"queue,omitempty"`
	Submitter  string     `json:"submitter,omitempty"`
	OwnerKind  string     `json:"ownerKind,omitempty"`
	OwnerName  string     `json:"ownerName,omitempty"`
	OwnerUID   string     `json:"ownerUID,omitempty"`
	Presence   string     `json:"presence"`
}

// RecordList is a page of objects.
type RecordList struct {
	Records []Record `json:"records"`
	Next    string   `json:"next,omitempty"`
}

// RecordChange is a transition together with its object in its last recorded state.
type RecordChange struct {
	Record     Record     `json:"record"`
	Transition Transition `json:"transition"`
}

// RecordChangeList is a page of transitions of many objects. A short or empty page may have a
// cursor.
type RecordChangeList struct {
	Changes []RecordChange `json:"changes"`
	Next    string         `json:"next,omitempty"`
}

// RecordBody is an object at a revision.
type RecordBody struct {
	Version string `json:"version"`
	// JSON is the object as JSON text, which keeps the digits of its numbers.
	JSON string `json:"json"`
}

// RecordJob is a job with all columns of the list in a terminal.
type RecordJob struct {
	ID         int64     `json:"id"`
	Cluster    string    `json:"cluster"`
	ClusterUID string    `json:"clusterUID"`
	Type       string    `json:"type"` // "jobs.batch"
	Kind       string    `json:"kind"`
	Namespace  string    `json:"namespace,omitempty"`
	Name       string    `json:"name"`
	UID        string    `json:"uid"`
	State      string    `json:"state,omitempty"`
	Raw        string    `json:"raw,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Message    string    `json:"message,omitempty"`
	Since      time.Time `json:"since"`
	Queue      string    `json:"queue,omitempty"`
	Submitter  string    `json:"submitter,omitempty"`
	Presence   string    `json:"presence"`
	// Submitted is when the object was created. Ended and Deleted are missing until then.
	Submitted time.Time `json:"submitted"`
	Ended     time.Time `json:"ended,omitzero"`
	Deleted   time.Time `json:"deleted,omitzero"`
	Waited    float64   `json:"waited"` // seconds
	Ran       float64   `json:"ran"`
	Tries     int       `json:"tries"`
	GPUs      int       `json:"gpus"`
	Pods      int       `json:"pods"`
	Asks      bool      `json:"asks"` // GPUs and Pods are known
	Node      string    `json:"node,omitempty"`
	Life      []Span    `json:"life"`
}

// RecordJobList is a page of jobs: open jobs first, then the others, the newest first.
type RecordJobList struct {
	Jobs []RecordJob `json:"jobs"`
	Next string      `json:"next,omitempty"`
	// Open counts all open jobs by state. It is missing on later pages, and for a person who
	// does not see all jobs of the list.
	Open map[string]int `json:"open,omitempty"`
}

// RecordGap is a time in which a part of a type was not watched.
type RecordGap struct {
	Gap
	ClusterUID  string     `json:"clusterUID"`
	Of          RecordType `json:"of"`
	Recorder    string     `json:"recorder,omitempty"`
	FromVersion string     `json:"fromVersion"`
	ToVersion   string     `json:"toVersion"`
	Healed      time.Time  `json:"healed,omitzero"`
}

// RecordGapList is a page of gaps.
type RecordGapList struct {
	Gaps []RecordGap `json:"gaps"`
	Next string      `json:"next,omitempty"`
}

// RecordAttempt is a job of a chain of retries.
type RecordAttempt struct {
	Number       int                 `json:"number"`
	Record       Record              `json:"record"`
	State        string              `json:"state,omitempty"`
	Reason       string              `json:"reason,omitempty"`
	Message      string              `json:"message,omitempty"`
	Ran          float64             `json:"ran"` // seconds
	RetryOf      string              `json:"retryOf,omitempty"`
	CancelledBy  string              `json:"cancelledBy,omitempty"`
	CancelReason string              `json:"cancelReason,omitempty"`
	Changes      []RecordFieldChange `json:"changes,omitempty"`
	// Compared is false if a body is not recorded.
	Compared bool `json:"compared"`
}

// RecordFieldChange is a field that differs between two attempts.
type RecordFieldChange struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// RecordAttempts is a chain of retries, in the order of the numbers.
type RecordAttempts struct {
	Attempts []RecordAttempt `json:"attempts"`
}

// RecordStats are the statistics of all objects of some types, each type apart.
type RecordStats struct {
	Types []RecordTypeStats `json:"types"`
}

// RecordTypeStats are the statistics of one type.
type RecordTypeStats struct {
	Type        RecordType            `json:"type"`
	Objects     int                   `json:"objects"`
	InState     map[string]float64    `json:"inState"` // seconds
	Outcomes    map[string]int        `json:"outcomes"`
	Waiting     RecordSpread          `json:"waiting"`
	Running     RecordSpread          `json:"running"`
	ByQueue     map[string]RecordEnds `json:"byQueue"`
	BySubmitter map[string]RecordEnds `json:"bySubmitter"`
	ByNamespace map[string]RecordEnds `json:"byNamespace"`
}

// RecordSpread describes durations, in seconds. Open is the number of durations that have not
// ended.
type RecordSpread struct {
	Count int     `json:"count"`
	Open  int     `json:"open"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	Max   float64 `json:"max"`
}

// RecordEnds counts the objects that ended, and how many of them failed.
type RecordEnds struct {
	Ended  int `json:"ended"`
	Failed int `json:"failed"`
}
