package api

import "time"

// Job is a row of the list of jobs.
type Job struct {
	ID        int64  `json:"id"` // of the object in the database
	Cluster   string `json:"cluster"`
	UID       string `json:"uid"`
	Type      string `json:"type"` // "jobs.batch"
	Kind      string `json:"kind"` // "Job"
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	State     string `json:"state"` // the outcome of a job that ended and was deleted afterwards
	// Raw is the word of the type itself.
	Raw     string `json:"raw,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"` // at most 300 bytes
	// Since is when the job entered its state.
	Since     time.Time `json:"since"`
	Submitted time.Time `json:"submitted"`
	// Ended is when the job ended, and Deleted when its object was deleted.
	Ended   time.Time `json:"ended,omitzero"`
	Deleted time.Time `json:"deleted,omitzero"`
	// Presence is Present, Deleted, Unknown or Unselected.
	Presence string `json:"presence"`
	// Waited and Ran are seconds up to now, or up to the end.
	Waited float64 `json:"waited"`
	Ran    float64 `json:"ran"`
	Tries  int     `json:"tries"`
	// GPUs and Pods are what the job asks for; -1 if that is not known.
	GPUs     int               `json:"gpus"`
	Pods     int               `json:"pods"`
	Queue    string            `json:"queue,omitempty"`
	Owner    string            `json:"owner,omitempty"` // the submitter
	Priority string            `json:"priority,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Detail   Detail            `json:"detail"`
	Life     []Span            `json:"life"`
	Version  string            `json:"version"` // resourceVersion of the last revision
}

// Detail is the last column of the list: why a job waits or failed, or where it runs.
type Detail struct {
	// Word is the reason or the node; Strong marks a failure.
	Word   string `json:"word,omitempty"`
	More   string `json:"more,omitempty"` // "exit code 137", "11th in line"
	Strong bool   `json:"strong,omitempty"`
	// Place, ExitCode and MorePods are the numbers in the text, for other languages; 0 for none.
	// More has the words about a number, or Word if More is empty.
	Place    int `json:"place,omitempty"`
	ExitCode int `json:"exitCode,omitempty"`
	MorePods int `json:"morePods,omitempty"`
}

// Span is the time that a job spent in a state, as the life strip shows it.
type Span struct {
	State string    `json:"state"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to,omitzero"` // missing while the job is in the state
	// Gap reports that the job was not watched in this time.
	Gap bool `json:"gap,omitempty"`
	// Inferred reports that the beginning of the span was inferred, not observed.
	Inferred bool `json:"inferred,omitempty"`
	Attempt  int  `json:"attempt,omitempty"` // from 1; 0 before the first one
}

// JobRef names a job.
type JobRef struct {
	Cluster   string `json:"cluster"`
	UID       string `json:"uid"`
	Type      string `json:"type,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// JobList is a page of the list of jobs.
type JobList struct {
	Jobs []Job `json:"jobs"`
	// Next and Previous are cursors; empty at the ends.
	Next     string `json:"next,omitempty"`
	Previous string `json:"previous,omitempty"`
	// First is the place of the first row in the list, from 1; 0 if it is not known.
	First int `json:"first,omitempty"`
	Counts
	// Position is the last position of the feed that the answer includes. The stream continues
	// after it.
	Position int64     `json:"position"`
	At       time.Time `json:"at"` // the instant that the answer describes
}

// Counts counts the jobs of a filter.
type Counts struct {
	// States counts by state. It applies every filter except the state filter.
	States map[string]Count `json:"states"`
	// All is the sum of States. Matching applies the state filter too.
	All      Count `json:"all"`
	Matching Count `json:"matching"`
}

// Count is a number that is exact up to 10,000.
type Count struct {
	N    int  `json:"n"`
	More bool `json:"more,omitempty"` // N is 10,000, and there are more jobs
}

// JobCounts are the counts alone, also for saved views.
type JobCounts struct {
	Counts
	Position int64     `json:"position"`
	At       time.Time `json:"at"`
}

// Suggestions complete the text in the filter bar.
type Suggestions struct {
	Items []Suggestion `json:"items"`
}

// Suggestion is a key, or a value of a key with the number of jobs that have it.
type Suggestion struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
	Count Count  `json:"count,omitzero"`
}
