package message

import (
	"time"

	"github.com/vedette-io/vedette/job"
)

// Data is the "data" of a webhook: the JSON form of a message. Unknown fields are absent.
// Text is not escaped for any syntax.
type Data struct {
	Job           *Job       `json:"job,omitempty"`
	Kind          Kind       `json:"kind,omitempty"` // of a job in a digest
	From          job.State  `json:"from,omitempty"`
	To            job.State  `json:"to,omitempty"`
	Reason        string     `json:"reason,omitempty"`
	Message       string     `json:"message,omitempty"` // of the transition, from the object; not of a job in a digest
	ExitCode      *int       `json:"exitCode,omitempty"`
	Pod           string     `json:"pod,omitempty"`
	Node          string     `json:"node,omitempty"`
	Attempt       int        `json:"attempt,omitempty"`
	Attempts      int        `json:"attempts,omitempty"`
	WaitedSeconds *int64     `json:"waitedSeconds,omitempty"`
	RanSeconds    *int64     `json:"ranSeconds,omitempty"`
	Time          *time.Time `json:"time,omitempty"` // of a job in a digest
	Title         string     `json:"title,omitempty"`
	Sentence      string     `json:"sentence,omitempty"`
	Log           []string   `json:"log,omitempty"`
	Late          bool       `json:"late"`
	Resolve       bool       `json:"resolve,omitempty"`
	Rule          string     `json:"rule,omitempty"`
	URL           string     `json:"url,omitempty"`
	Truncated     []string   `json:"truncated,omitempty"`
	Jobs          []Data     `json:"jobs,omitempty"` // of a digest
}

// Data returns the message in the form of a webhook. Call it within Fit, because it has
// only the parts that the message has.
func (m *Message) Data() *Data {
	d := &Data{}
	if m.Notice != nil {
		*d = dataOf(m.Notice)
		d.Kind, d.Time = "", nil
	}
	d.Title, d.Sentence, d.Log, d.Late, d.Resolve, d.Rule, d.URL, d.Truncated = m.Title, m.Sentence, m.Log, m.Late, m.Resolve, m.Rule, m.URL, m.Truncated
	for i := range m.Items {
		one := dataOf(&m.Items[i])
		one.Message = "" // a digest has room for more jobs instead
		d.Jobs = append(d.Jobs, one)
	}
	return d
}

func dataOf(n *Notice) Data {
	if n.Escalated != nil && n.Escalated.Notice != nil {
		n = n.Escalated.Notice
	}
	d := Data{
		Kind: n.Kind, From: n.From, To: n.To, Reason: or(string(n.Cause.Reason), n.Reason), Message: Clean(n.Message), ExitCode: n.Cause.ExitCode, Pod: n.Cause.Pod, Node: n.Cause.Node,
		Attempt: n.Attempt, Attempts: n.Attempts, WaitedSeconds: seconds(n.Waited), RanSeconds: seconds(n.Ran), Late: n.Late,
	}
	if n.Job != (Job{}) {
		d.Job = &n.Job
	}
	if t := happened(n); !t.IsZero() {
		d.Time = new(t.UTC())
	}
	return d
}

func seconds(d *time.Duration) *int64 {
	if d == nil {
		return nil
	}
	return new(int64(*d / time.Second))
}
