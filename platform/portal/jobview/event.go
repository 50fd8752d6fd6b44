package jobview

import (
	"cmp"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Event returns a Kubernetes event from its body, in either of its two API groups. about is the UID
// of the object that it concerns. ok is false for a body that is not an event.
func Event(body []byte) (e api.Event, about string, ok bool) {
	o := job.ParseObject(body)
	if o == nil || o.Text("kind") != "Event" {
		return e, "", false
	}
	subject := o.Map("involvedObject")
	if subject == nil {
		subject = o.Map("regarding")
	}
	e = api.Event{
		Type: o.Text("type"), Reason: o.Text("reason"), Message: cmp.Or(o.Text("message"), o.Text("note")),
		Object: api.ObjectRef{Kind: subject.Text("kind"), Namespace: subject.Text("namespace"), Name: subject.Text("name"), UID: subject.Text("uid")},
		Source: cmp.Or(o.Text("source", "component"), o.Text("reportingComponent"), o.Text("reportingController"), o.Text("deprecatedSource", "component")),
		First:  firstTime(o.Moment("firstTimestamp"), o.Moment("deprecatedFirstTimestamp"), o.Moment("eventTime"), o.Moment("metadata", "creationTimestamp")),
		Last:   firstTime(o.Moment("series", "lastObservedTime"), o.Moment("lastTimestamp"), o.Moment("deprecatedLastTimestamp"), o.Moment("eventTime")),
		Count:  max(o.Count(0, "series", "count"), o.Count(0, "count"), o.Count(0, "deprecatedCount"), 1),
	}
	if e.Last.IsZero() || e.Last.Before(e.First) {
		e.Last = e.First
	}
	return e, e.Object.UID, true
}

func firstTime(all ...time.Time) time.Time {
	for _, t := range all {
		if !t.IsZero() {
			return instant(t)
		}
	}
	return time.Time{}
}
