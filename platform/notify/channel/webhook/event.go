package webhook

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// maxBody is the limit of a body in bytes. Standard Webhooks recommends less than 20 KB.
const maxBody = 18 << 10

// Event is the body of a webhook: a CloudEvent 1.0. Unknown fields are absent. Fields may
// be added within a version of the type, but never change their meaning.
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

// Data is the content of an event: the facts of the message, and those of its kind.
type Data struct {
	*message.Data
	Timer          *Timer        `json:"timer,omitempty"`
	Wait           *Wait         `json:"wait,omitempty"`
	Gap            *Gap          `json:"gap,omitempty"`
	Escalated      *message.Data `json:"escalated,omitempty"`
	More           int           `json:"more,omitempty"` // jobs that were left out because of the limit
	TemplateFailed bool          `json:"templateFailed,omitempty"`
}

// Timer has the facts of a timer.
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

// Wait has the facts about a waiting job. Quota and Free count GPUs.
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
		Data: Data{Data: m.Data(), TemplateFailed: m.TemplateError != ""},
	}
	if m.Notice != nil {
		e.Data.add(m.Notice)
	}
	if job := e.Data.Job; job != nil {
		if job.Cluster != "" {
			e.Source += "/" + job.Cluster
		}
		e.Subject = job.Name
		if job.Namespace != "" {
			e.Subject = job.Namespace + "/" + job.Name
		}
	}
	return e
}

// add adds the facts that only some kinds have.
func (d *Data) add(n *message.Notice) {
	if t := n.Timer; t != nil {
		d.Timer = &Timer{t.After.Seconds(), t.Deadline.UTC(), t.Left.Seconds(), t.Needed.Seconds(), t.P90.Seconds(), t.Quiet.Seconds(), t.Since.UTC(), message.Clean(t.Signal)}
	}
	if w := n.Wait; w != nil {
		d.Wait = &Wait{w.Quota, w.Free, w.Place, w.Start.UTC(), w.StartEarly.UTC(), w.StartLate.UTC()}
	}
	if g := n.Gap; g != nil {
		d.Gap = &Gap{g.From.UTC(), g.To.UTC(), message.Clean(g.Why), g.Changes}
	}
	if e := n.Escalated; e != nil && e.Notice != nil {
		d.Escalated = (&message.Message{Notice: e.Notice}).Data()
	}
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
			return nil, fmt.Errorf("the event has %d bytes, and nothing can be left out", len(text))
		}
	}
}

// shortMessage is the length of the message of an event that is too long, in bytes.
const shortMessage = 512

// shorten leaves out about excess bytes. It reports whether it left out anything.
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
				if d.Jobs[j].To == job.Succeeded {
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
	case len(d.Message) > shortMessage:
		d.Message = strings.ToValidUTF8(d.Message[:shortMessage], "")
		d.truncated("message")
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
