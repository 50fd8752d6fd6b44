package webhook

import (
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/state"
)

// maxBody is the limit of a body in bytes. Standard Webhooks recommends less than 20 KB.
const maxBody = 18 << 10

// Event is the body of a webhook: a CloudEvent 1.0. Fields that are not known are absent.
// Fields are added within a version of the type, and never change their meaning.
type Event struct {
	SpecVersion     string    `json:"specversion"`
	ID              string    `json:"id"`
	Source          string    `json:"source"`
	Type            string    `json:"type"`
	Subject         string    `json:"subject,omitempty"`
	Time            time.Time `json:"time,omitzero"`
	DataContentType string    `json:"datacontenttype"`
	Data            Data      `json:"data"`
}

// Data is what an event tells.
type Data struct {
	Job            *Job        `json:"job,omitempty"`
	From           state.State `json:"from,omitempty"`
	To             state.State `json:"to,omitempty"`
	Reason         string      `json:"reason,omitempty"`
	ExitCode       *int        `json:"exitCode,omitempty"`
	Pod            string      `json:"pod,omitempty"`
	Node           string      `json:"node,omitempty"`
	Attempt        int         `json:"attempt,omitempty"`
	Attempts       int         `json:"attempts,omitempty"`
	WaitedSeconds  *float64    `json:"waitedSeconds,omitempty"`
	RanSeconds     *float64    `json:"ranSeconds,omitempty"`
	Actor          string      `json:"actor,omitempty"`
	Timer          *Timer      `json:"timer,omitempty"`
	Wait           *Wait       `json:"wait,omitempty"`
	Gap            *Gap        `json:"gap,omitempty"`
	Escalated      *Data       `json:"escalated,omitempty"`
	Jobs           []Data      `json:"jobs,omitempty"`
	More           int         `json:"more,omitempty"` // jobs that the limit left out
	Time           time.Time   `json:"time,omitzero"`  // of one of Jobs
	Title          string      `json:"title,omitempty"`
	Sentence       string      `json:"sentence,omitempty"`
	Log            []string    `json:"log,omitempty"`
	Late           *bool       `json:"late,omitempty"`
	Resolve        bool        `json:"resolve,omitempty"`
	Rule           string      `json:"rule,omitempty"`
	URL            string      `json:"url,omitempty"`
	TemplateFailed bool        `json:"templateFailed,omitempty"`
	Truncated      []string    `json:"truncated,omitempty"`
}

// Job is the object that an event tells about.
type Job struct {
	Cluster   string `json:"cluster,omitempty"`
	Type      string `json:"type,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	UID       string `json:"uid,omitempty"`
	Queue     string `json:"queue,omitempty"`
	Owner     string `json:"owner,omitempty"`
	GPUs      int    `json:"gpus,omitempty"`
	Nodes     int    `json:"nodes,omitempty"`
}

// Timer is what a timer found.
type Timer struct {
	AfterSeconds  float64   `json:"afterSeconds,omitempty"`
	Deadline      time.Time `json:"deadline,omitzero"`
	LeftSeconds   float64   `json:"leftSeconds,omitempty"`
	NeededSeconds float64   `json:"neededSeconds,omitempty"`
	P90Seconds    float64   `json:"p90Seconds,omitempty"`
	QuietSeconds  float64   `json:"quietSeconds,omitempty"`
	Since         time.Time `json:"since,omitzero"`
	Signal        string    `json:"signal,omitempty"`
}

// Wait is what is known of a job that waits. Quota and Free count GPUs.
type Wait struct {
	Quota      *int      `json:"quota,omitempty"`
	Free       *int      `json:"free,omitempty"`
	Place      int       `json:"place,omitempty"`
	Start      time.Time `json:"start,omitzero"`
	StartEarly time.Time `json:"startEarly,omitzero"`
	StartLate  time.Time `json:"startLate,omitzero"`
}

// Gap is a time in which a cluster was not watched.
type Gap struct {
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`
	Why     string    `json:"why,omitempty"`
	Changes int       `json:"changes"`
}

// NewEvent returns the event of a message, without a limit.
func NewEvent(m *message.Message) *Event {
	e := &Event{
		SpecVersion: "1.0", ID: idOf(m.ID), Source: "vedette", Type: m.Kind.EventType(), Time: m.Happened.UTC(), DataContentType: "application/json",
	}
	if m.Notice != nil {
		e.Data = dataOf(m.Notice)
		if job := e.Data.Job; job != nil {
			if job.Cluster != "" {
				e.Source += "/" + job.Cluster
			}
			e.Subject = job.Name
			if job.Namespace != "" {
				e.Subject = job.Namespace + "/" + job.Name
			}
		}
		late := m.Late
		e.Data.Late = &late
	}
	for i := range m.Items {
		item := dataOf(&m.Items[i])
		item.Time = m.Items[i].Happened.UTC()
		e.Data.Jobs = append(e.Data.Jobs, item)
	}
	e.Data.Title, e.Data.Sentence, e.Data.Log = m.Title, m.Sentence, m.Log
	e.Data.Rule, e.Data.URL, e.Data.Truncated = message.Clean(m.Rule), m.URL, m.Truncated
	e.Data.Resolve, e.Data.TemplateFailed = m.Resolve, m.TemplateError != ""
	return e
}

// Encode returns the JSON of an event within the limit of 18 KB, and changes the event
// accordingly.
func (e *Event) Encode() ([]byte, error) {
	for {
		text, err := channel.Payload(e)
		if err != nil {
			return nil, fmt.Errorf("the event cannot be written as JSON: %w", err)
		}
		if len(text) <= maxBody {
			return text, nil
		}
		if !e.Data.shorten(len(text) - maxBody) {
			return nil, fmt.Errorf("the event has %d bytes, and nothing to leave out", len(text))
		}
	}
}

// shorten leaves out about so many bytes. It reports whether it left out anything.
func (d *Data) shorten(excess int) bool {
	switch {
	case len(d.Log) > 0:
		n := 0
		for excess > 0 && n < len(d.Log) {
			excess -= len(d.Log[n]) + 3
			n++
		}
		if d.Log = d.Log[n:]; len(d.Log) == 0 {
			d.Log = nil
		}
		d.truncated("log")
	case len(d.Jobs) > 0:
		drop := max(1, len(d.Jobs)*excess/(maxBody+excess))
		d.Jobs = slices.Clone(d.Jobs)
		for range drop {
			i := len(d.Jobs) - 1
			for j := i; j >= 0; j-- {
				if d.Jobs[j].To == state.Succeeded {
					i = j
					break
				}
			}
			d.Jobs = slices.Delete(d.Jobs, i, i+1)
		}
		d.More += drop
		d.truncated("jobs")
	case d.Escalated != nil:
		d.Escalated = nil
		d.truncated("escalated")
	default:
		return false
	}
	return true
}

func (d *Data) truncated(what string) {
	if !slices.Contains(d.Truncated, what) {
		d.Truncated = append(slices.Clone(d.Truncated), what)
	}
}

// dataOf returns the facts of a notice.
func dataOf(n *message.Notice) Data {
	c := message.Clean
	d := Data{
		From: n.From, To: n.To, Reason: c(n.Reason), ExitCode: n.Cause.ExitCode, Pod: c(n.Cause.Pod), Node: c(n.Cause.Node),
		Attempt: n.Attempt, Attempts: n.Attempts, WaitedSeconds: secondsOf(n.Waited), RanSeconds: secondsOf(n.Ran), Actor: c(n.Actor),
	}
	if n.Cause.Reason != "" {
		d.Reason = c(string(n.Cause.Reason))
	}
	if j := n.Job; j != (message.Job{}) {
		d.Job = &Job{c(j.Cluster), c(j.Type), c(j.Namespace), c(j.Name), c(j.UID), c(j.Queue), c(j.Owner), j.GPUs, j.Nodes}
	}
	if t := n.Timer; t != nil {
		d.Timer = &Timer{t.After.Seconds(), t.Deadline.UTC(), t.Left.Seconds(), t.Needed.Seconds(), t.P90.Seconds(), t.Quiet.Seconds(), t.Since.UTC(), c(t.Signal)}
	}
	if w := n.Wait; w != nil {
		d.Wait = &Wait{w.Quota, w.Free, w.Place, w.Start.UTC(), w.StartEarly.UTC(), w.StartLate.UTC()}
	}
	if g := n.Gap; g != nil {
		d.Gap = &Gap{g.From.UTC(), g.To.UTC(), c(g.Why), g.Changes}
	}
	if e := n.Escalated; e != nil && e.Notice != nil {
		inner := *e.Notice
		inner.Escalated = nil // one level says enough
		data := dataOf(&inner)
		d.Escalated = &data
	}
	return d
}

func secondsOf(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	seconds := d.Seconds()
	return &seconds
}
