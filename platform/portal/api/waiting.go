package api

import "time"

// Waiting explains why a job waits. Unknown facts are missing, and Unknown gives the reasons.
type Waiting struct {
	// Source is Kueue, Volcano or the scheduler; empty if nothing is known.
	Source string    `json:"source,omitempty"`
	AsOf   time.Time `json:"asOf,omitzero"`
	// Sentence is the answer in one or two sentences, in the language of the request.
	Sentence string `json:"sentence"`
	Quota    *Quota `json:"quota,omitempty"`
	Line     *Line  `json:"line,omitempty"`
	// Likely is missing unless a backtest over the history showed that its range holds.
	Likely *LikelyStart `json:"likely,omitempty"`
	Like   *LikeJobs    `json:"like,omitempty"`
	Nodes  []NodeReason `json:"nodes,omitempty"`
	// Unknown lists what is not known, each with the reason, as sentences.
	Unknown []string `json:"unknown,omitempty"`
}

// Quota is the quota of a queue for one resource.
type Quota struct {
	Queue    string `json:"queue"`
	Resource string `json:"resource"` // "nvidia.com/gpu"
	Total    int64  `json:"total"`
	Used     int64  `json:"used"`
	Needed   int64  `json:"needed"`
	// Owners are the owners of the used quota, the largest first.
	Owners []QuotaShare `json:"owners"`
}

// QuotaShare is the part of a quota that one owner uses.
type QuotaShare struct {
	Owner string `json:"owner"`
	Used  int64  `json:"used"`
	// Others reports that the row sums up owners whose jobs the person may not see, and usage that
	// no recorded job explains. Owner is then a word for them.
	Others bool `json:"others,omitempty"`
}

// Line is the line of a queue around a job.
type Line struct {
	Queue  string `json:"queue"`
	Place  int    `json:"place"`
	Length int    `json:"length"`
	// PlaceBefore is the place an hour ago; 0 if the job did not wait yet.
	PlaceBefore int `json:"placeBefore,omitempty"`
	// Ahead is the amount of the quota's resource that the jobs before it need.
	AheadJobs int       `json:"aheadJobs"`
	Ahead     int64     `json:"ahead"`
	Jobs      []LineJob `json:"jobs"` // at most 20 around the job
	// Hidden counts the jobs of the line that the person may not see. They keep their places and
	// count in AheadJobs and Ahead, but are not in Jobs.
	Hidden int `json:"hidden,omitempty"`
}

// LineJob is a job in a line.
type LineJob struct {
	Place    int     `json:"place"`
	Job      JobRef  `json:"job"`
	Owner    string  `json:"owner,omitempty"`
	GPUs     int     `json:"gpus"`
	Waited   float64 `json:"waited"`
	Priority string  `json:"priority,omitempty"`
	Self     bool    `json:"self,omitempty"`
}

// LikelyStart is the predicted start of a job.
type LikelyStart struct {
	// Early, Half and Late are the times by which 10, 50 and 90 percent of similar jobs started.
	Early time.Time `json:"early"`
	Half  time.Time `json:"half"`
	Late  time.Time `json:"late"`
	// Tested is the number of past jobs in the backtest. Held is the share of correct predictions:
	// the job started within the range. Each job is predicted at several moments of its wait.
	Held   float64 `json:"held"`
	Tested int     `json:"tested"`
}

// LikeJobs is how long similar jobs waited.
type LikeJobs struct {
	// The jobs that are compared, as a sentence: "Same queue and size: 24 to 48 GPUs in gpu-h100."
	What   string  `json:"what"`
	Days   int     `json:"days"`
	Jobs   int     `json:"jobs"`
	Median float64 `json:"median"`
	// Longer is how many of them waited longer than this job has so far.
	Longer int `json:"longer"`
	// Step is the width of a bar of Histogram, in seconds. The last bar includes all longer waits,
	// so the bars add up to Jobs.
	Step      float64 `json:"step"`
	Histogram []int   `json:"histogram"`
}

// NodeReason is a number of nodes, and the reason why a pod does not fit on them.
type NodeReason struct {
	Nodes  int    `json:"nodes"`  // -1: not counted
	Reason string `json:"reason"` // in the scheduler's words
	// Plain explains the reason in the language of the request; empty for an unknown reason.
	Plain string    `json:"plain,omitempty"`
	Said  time.Time `json:"said,omitzero"`
}

// Failure explains why a job failed.
type Failure struct {
	Sentence string `json:"sentence"`
	// Cause is the word: OOMKilled, Error, Evicted, NodeLost, DeadlineExceeded.
	Cause string `json:"cause"`
	// CauseOf counts the attempts that ended this way, of Attempts.
	CauseOf  int    `json:"causeOf,omitempty"`
	Attempts int    `json:"attempts,omitempty"`
	ExitCode *int   `json:"exitCode,omitempty"`
	Signal   string `json:"signal,omitempty"` // SIGKILL
	Pod      string `json:"pod,omitempty"`
	Node     string `json:"node,omitempty"`
	// Limit is the memory limit, if memory was the cause.
	Limit string `json:"limit,omitempty"`
	// Memory is a limit to try next; missing if memory was not the cause.
	Memory *MemoryRepair `json:"memory,omitempty"`
	// Like counts the jobs of the same owner and type that failed for this cause in Days days.
	Like int `json:"like"`
	Days int `json:"days"`
	// Lines are the last lines of the log of the container.
	Lines      []LogLine `json:"lines,omitempty"`
	LinesKept  int       `json:"linesKept,omitempty"` // how many lines are kept
	Unknown    []string  `json:"unknown,omitempty"`
	RetryHelps string    `json:"retryHelps,omitempty"` // a sentence, if that is known
}

// MemoryRepair is a larger memory limit for a container that used all of its own.
type MemoryRepair struct {
	Container string `json:"container"`
	Limit     string `json:"limit"` // in the pod's notation: "480Gi"
	// Proposed is half as much again. How much the container needs is not known.
	Proposed string `json:"proposed"`
}
