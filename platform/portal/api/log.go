package api

import "time"

// LogPage is a part of the log of a job.
type LogPage struct {
	Lines []LogLine `json:"lines"`
	// Next continues after the last line, and Previous before the first one.
	Next     string `json:"next,omitempty"`
	Previous string `json:"previous,omitempty"`
	// Live reports that pods still write lines, so a request with follow=true returns more.
	Live bool `json:"live"`
	// Away reports that the cluster returned no log, so the page has only kept lines.
	Away bool `json:"away,omitempty"`
	// Kept reports when the lines of deleted pods were stored, and how many lines were not stored.
	Kept []KeptLog `json:"kept,omitempty"`
	// Sources are the pods and containers that have lines, for the choice above the log.
	Sources []LogSource `json:"sources"`
}

// With follow=true the answer is server-sent events:
//
//	event: found     data: LogsFound, before the first line
//	event: line      data: LogLine
//	event: end       data: LogEnd; the log is complete
//	event: rights    data: {}; the person may no longer read the log
//	event: problem   data: Problem

// LogLine is a line, or a note where lines are missing.
type LogLine struct {
	Time      time.Time `json:"time,omitzero"`
	Pod       string    `json:"pod,omitempty"`
	Container string    `json:"container,omitempty"`
	Attempt   int       `json:"attempt,omitempty"`
	// Text may have any character except line ends. The page shows control characters as symbols.
	Text string `json:"text"`
	Cut  int    `json:"cut,omitempty"` // number of missing bytes at the end
	Kept bool   `json:"kept,omitempty"`
	Note string `json:"note,omitempty"`
	// PodUID is the UID of the pod, and Restart counts the restarts of the container before it
	// wrote the line. Only streams have them.
	PodUID  string `json:"podUID,omitempty"`
	Restart int    `json:"restart,omitempty"`
	// Bytes is the line if it is not UTF-8. It is sent with bytes=true only.
	Bytes []byte `json:"bytes,omitempty"`
}

// LogsFound has the number of container logs when a stream begins. More may follow later.
type LogsFound struct {
	Logs int `json:"logs"`
}

// LogEnd ends a stream of lines.
type LogEnd struct {
	// Nothing gives the reason if there was no log; empty if there was one.
	Nothing string `json:"nothing,omitempty"`
	// Attempts is the number of known attempts of the job, if there was no log.
	Attempts int `json:"attempts,omitempty"`
	// Waits reports that there was no log because the job waits for its pods.
	Waits bool `json:"waits,omitempty"`
}

// LogSource is a container with lines.
type LogSource struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`
	Attempt   int    `json:"attempt"`
	Live      bool   `json:"live"`
}

// KeptLog is a log that was stored when its container ended.
type KeptLog struct {
	LogSource
	At      time.Time `json:"at"`
	Lines   int       `json:"lines"`
	Missing int       `json:"missing"` // lines that were not stored; -1 if unknown
}
