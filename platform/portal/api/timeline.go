package api

import "time"

// Timeline has the lives of jobs in an interval.
type Timeline struct {
	From time.Time     `json:"from"`
	To   time.Time     `json:"to"`
	Jobs []TimelineJob `json:"jobs"`
	Gaps []Gap         `json:"gaps"`
	// Groups sum up all rows, including those of other pages, by the name of the group; at most
	// 200.
	Groups []TimelineGroup `json:"groups,omitempty"`
	// More reports that jobs are missing; Next is the cursor to them.
	Next     string    `json:"next,omitempty"`
	Matching Count     `json:"matching"`
	Position int64     `json:"position"`
	At       time.Time `json:"at"`
}

// TimelineGroup is the head of the rows of one cluster, queue or owner.
type TimelineGroup struct {
	Name string `json:"name"`
	Jobs int    `json:"jobs"` // in the interval
	// Running counts the running jobs. GPUs is the number of GPUs that they hold.
	Running int `json:"running"`
	GPUs    int `json:"gpus"`
}

// TimelineJob is a row of the timeline.
type TimelineJob struct {
	ID        int64     `json:"id"`
	Cluster   string    `json:"cluster"`
	UID       string    `json:"uid"`
	Type      string    `json:"type"`
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Reason    string    `json:"reason,omitempty"`
	Queue     string    `json:"queue,omitempty"`
	Owner     string    `json:"owner,omitempty"`
	GPUs      int       `json:"gpus"`
	Tries     int       `json:"tries"`
	Submitted time.Time `json:"submitted"`
	Ended     time.Time `json:"ended,omitzero"`
	Life      []Span    `json:"life"`
}

// Gap is a time in which a part of a cluster was not watched.
type Gap struct {
	ID        int64     `json:"id"`
	Cluster   string    `json:"cluster"`
	Type      string    `json:"type"`
	Namespace string    `json:"namespace,omitempty"` // empty: all
	From      time.Time `json:"from"`
	To        time.Time `json:"to,omitzero"` // missing: it lasts
	Cause     string    `json:"cause"`
	Detail    string    `json:"detail,omitempty"`
	// Changes counts the transitions that were found afterwards; -1 if unknown.
	Changes int  `json:"changes"`
	Closed  bool `json:"closed"` // the recorder has caught up
}

// Overview is the number of jobs over time, for the brush above the timeline.
type Overview struct {
	From    time.Time     `json:"from"`
	Step    float64       `json:"step"` // seconds
	Buckets []OverviewBar `json:"buckets"`
	Gaps    []Gap         `json:"gaps"`
}

// OverviewBar is one interval of the overview.
type OverviewBar struct {
	Waiting int `json:"waiting"` // jobs that waited at the beginning
	Running int `json:"running"`
	Failed  int `json:"failed"` // jobs that failed within
}
