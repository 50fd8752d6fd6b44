package api

import "time"

// Stats are the statistics of a period.
type Stats struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Now  Period    `json:"now"`
	// Before is the period to compare with; missing if none was requested.
	BeforeFrom time.Time `json:"beforeFrom,omitzero"`
	BeforeTo   time.Time `json:"beforeTo,omitzero"`
	Before     *Period   `json:"before,omitempty"`
	Position   int64     `json:"position"`
	At         time.Time `json:"at"`
}

// Period has the statistics of a period.
type Period struct {
	Ended     int            `json:"ended"`
	Outcomes  map[string]int `json:"outcomes"` // by final state
	Waited    Spread         `json:"waited"`   // of jobs that began to run
	Ran       Spread         `json:"ran"`      // of jobs that ended
	GPUHours  GPUHours       `json:"gpuHours"`
	Step      float64        `json:"step"` // seconds of a bucket
	Buckets   []StatsBucket  `json:"buckets"`
	Causes    []Share        `json:"causes"` // of failures, most frequent first
	Owners    []OwnerShare   `json:"owners"` // by GPU hours run
	Queues    []QueueShare   `json:"queues"`
	Nodes     []NodeShare    `json:"nodes"`     // by the share of failed pods
	NodesSeen bool           `json:"nodesSeen"` // false if pods are not recorded
	// PodsFrom is the time from which pods are counted in nodes and causes; missing if that is the
	// whole period. Earlier pods are not read yet, or exceed the limit. A later request may have
	// more.
	PodsFrom time.Time `json:"podsFrom,omitzero"`
}

// Spread describes durations, in seconds.
type Spread struct {
	Count  int     `json:"count"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

// GPUHours are GPUs times hours.
type GPUHours struct {
	Waited float64 `json:"waited"`
	Ran    float64 `json:"ran"`
}

// StatsBucket is one interval of a period.
type StatsBucket struct {
	From     time.Time      `json:"from"`
	Waited   Spread         `json:"waited"`
	Ran      Spread         `json:"ran"`
	Outcomes map[string]int `json:"outcomes"`
	GPUHours GPUHours       `json:"gpuHours"`
}

// Share is a word and its count.
type Share struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

// OwnerShare are the jobs of one owner.
type OwnerShare struct {
	Owner  string `json:"owner"`
	Jobs   int    `json:"jobs"`
	Failed int    `json:"failed"`
	GPUHours
	// Owners is the number of owners in the row, if it is the sum of the rest.
	Owners int `json:"owners,omitempty"`
}

// QueueShare are the jobs of one queue.
type QueueShare struct {
	Queue    string   `json:"queue"`
	Jobs     int      `json:"jobs"`
	Failed   int      `json:"failed"`
	Waited   Spread   `json:"waited"`
	GPUHours GPUHours `json:"gpuHours"`
}

// NodeShare are the pods of one node.
type NodeShare struct {
	Node   string `json:"node"`
	Pods   int    `json:"pods"`
	Failed int    `json:"failed"`
	// Cells has the failed pods over the period, in equal intervals.
	Cells []int `json:"cells"`
}

// StatsSeries is a spread of durations over time.
type StatsSeries struct {
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"`
	Step   float64      `json:"step"` // seconds of a point
	All    Spread       `json:"all"`
	Points []StatsPoint `json:"points"`
}

// StatsPoint is one interval of a series.
type StatsPoint struct {
	From time.Time `json:"from"`
	Spread
}
