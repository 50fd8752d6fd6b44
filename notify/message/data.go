package message

import "github.com/vedette-io/vedette/state"

// Data is what a webhook sends as "data": the JSON form of a message. Fields that are
// unknown are absent. Text is not escaped for any syntax.
type Data struct {
	Job           *Job        `json:"job,omitempty"`
	From          state.State `json:"from,omitempty"`
	To            state.State `json:"to,omitempty"`
	Reason        string      `json:"reason,omitempty"`
	ExitCode      *int        `json:"exitCode,omitempty"`
	Attempt       int         `json:"attempt,omitempty"`
	Attempts      int         `json:"attempts,omitempty"`
	WaitedSeconds *int64      `json:"waitedSeconds,omitempty"`
	RanSeconds    *int64      `json:"ranSeconds,omitempty"`
	Title         string      `json:"title"`
	Sentence      string      `json:"sentence,omitempty"`
	Log           []string    `json:"log,omitempty"`
	Late          bool        `json:"late"`
	Rule          string      `json:"rule,omitempty"`
	URL           string      `json:"url,omitempty"`
	Truncated     []string    `json:"truncated,omitempty"`
	Jobs          []Data      `json:"jobs,omitempty"` // of a digest
}

// Data returns the message as a webhook sends it.
func (m *Message) Data() *Data {
	return &Data{Title: m.Title, Sentence: m.Sentence, Late: m.Late, Rule: m.Rule, Log: m.Log, URL: m.URL, Truncated: m.Truncated}
}
