package api

import "time"

// LogPage is a part of the log of a job.
type LogPage struct {
	Lines []LogLine `json:"lines"`
	// Next continues behind the last line, and Previous before the first one.
	Next     string `json:"next,omitempty"`
	Previous string `json:"previous,omitempty"`
	// Live reports that pods still write, so a request with follow=true has more.
	Live bool `json:"live"`
	// Away reports that the cluster gave no log, so the page has only lines that were kept.
	Away bool `json:"away,omitempty"`
	// Kept says when lines of pods that are gone were stored, and how many lines were not.
	Kept []KeptLog `json:"kept,omitempty"`
	// Sources are the pods and containers that have lines, for the choice above the log.
	Sources []LogSource `json:"sources"`
}

// LogLine is a line, or a note in the place where lines are missing. With follow=true each
// line is an event "line" of the stream.
type LogLine struct {
	Time      time.Time `json:"time,omitzero"`
	Pod       string    `json:"pod,omitempty"`
	Container string    `json:"container,omitempty"`
	Attempt   int       `json:"attempt,omitempty"`
	// Text may hold any character except line ends. The page shows control characters as
	// symbols and obeys none.
	Text string `json:"text"`
	Cut  int    `json:"cut,omitempty"` // bytes that are missing at the end
	Kept bool   `json:"kept,omitempty"`
	Note string `json:"note,omitempty"`
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
