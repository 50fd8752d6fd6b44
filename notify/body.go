package notify

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/notify/rule"
)

// body is an object as it was recorded, as far as timers and routing read it.
type body struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds"`
		RunPolicy             struct {
			ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds"`
		} `json:"runPolicy"`
	} `json:"spec"`
	Status struct {
		StartTime time.Time `json:"startTime"`
		StartedAt time.Time `json:"startedAt"`
	} `json:"status"`

	text []byte
}

// parseBody reads the JSON of an object. A field of another type than expected is left
// out.
func parseBody(text []byte) (*body, error) {
	b := &body{text: text}
	if err := json.Unmarshal(text, b); err != nil {
		if _, other := err.(*json.UnmarshalTypeError); !other {
			return nil, fmt.Errorf("a recorded object cannot be read: %w", err)
		}
	}
	return b, nil
}

// deadline returns when the job is stopped, or the zero time if that is not known yet. It
// is false if the job has no deadline.
func (b *body) deadline() (at time.Time, has bool) {
	seconds := b.Spec.ActiveDeadlineSeconds
	if seconds == nil {
		seconds = b.Spec.RunPolicy.ActiveDeadlineSeconds
	}
	if seconds == nil || *seconds <= 0 {
		return time.Time{}, false
	}
	start := b.Status.StartTime
	if start.IsZero() {
		start = b.Status.StartedAt
	}
	if start.IsZero() {
		return time.Time{}, true
	}
	return start.Add(time.Duration(min(*seconds, maxDeadline)) * time.Second), true
}

// maxDeadline keeps deadlines within the range of times, in seconds.
const maxDeadline = 10 * 365 * 24 * 3600

// signal returns the value of an annotation or of a field of the status, as JSON or text.
func (b *body) signal(s rule.Signal) string {
	switch s.Kind {
	case rule.Annotation:
		return b.Metadata.Annotations[s.Name]
	case rule.Status:
		var object struct {
			Status json.RawMessage `json:"status"`
		}
		if json.Unmarshal(b.text, &object) != nil {
			return ""
		}
		at := object.Status
		for name := range strings.SplitSeq(s.Name, ".") {
			var fields map[string]json.RawMessage
			if json.Unmarshal(at, &fields) != nil {
				return ""
			}
			at = fields[name]
		}
		return string(at)
	}
	return ""
}
