package config

import (
	"time"

	"go.yaml.in/yaml/v3"
)

// maxWaits is the maximum number of waits in a schedule.
const maxWaits = 100

// Retry configures the retries of failed messages. Zero fields mean the default.
type Retry struct {
	// Waits are the waits after the first try, the second and so on. After the last wait
	// and try, the message is a dead letter. Default: the schedule of Standard Webhooks, 5
	// s to 24 h in nine steps.
	Waits []time.Duration
	// PauseAfter is the number of successive failures after which a channel pauses;
	// default 5.
	PauseAfter int
	// Pause is the duration of the first pause, and LongestPause the maximum; default 5 s
	// and 10 min.
	Pause, LongestPause time.Duration
}

// IsZero reports whether the file does not configure retries.
func (r *Retry) IsZero() bool {
	return r.Waits == nil && r.PauseAfter == 0 && r.Pause == 0 && r.LongestPause == 0
}

// retry reads the field retry.
func (r *reader) retry(n *yaml.Node) (to Retry) {
	if isNull(n) {
		return to
	}
	f := r.Fields(n, "retry", "waits", "pause-after", "pause", "longest-pause")
	if !isNull(f["waits"]) {
		items := r.List(f["waits"], n.Line, "waits")
		if len(items) > maxWaits {
			r.Complain(f["waits"].Line, "waits has %d durations; at most %d are allowed", len(items), maxWaits)
			items = nil
		}
		for _, item := range items {
			to.Waits = append(to.Waits, r.duration(item, "each of waits"))
		}
	}
	if !isNull(f["pause-after"]) {
		to.PauseAfter = r.number(f["pause-after"], "pause-after")
	}
	to.Pause, to.LongestPause = r.duration(f["pause"], "pause"), r.duration(f["longest-pause"], "longest-pause")
	if to.LongestPause > 0 && to.Pause > to.LongestPause {
		r.Complain(f["pause"].Line, "pause is longer than longest-pause")
	}
	return to
}
