package config

import (
	"time"

	"go.yaml.in/yaml/v3"
)

// maxWaits is how many waits a schedule may have.
const maxWaits = 100

// Retry says when failed messages are tried again. Fields that are zero mean the default.
type Retry struct {
	// Waits are the waits after the first try, the second and so on. After the last one a
	// message is dead. Default: the schedule of Standard Webhooks, 5 s to 24 h in nine steps.
	Waits []time.Duration
	// PauseAfter is after how many failures in a row a channel pauses; default 5.
	PauseAfter int
	// Pause is how long the first pause lasts, and LongestPause how long one lasts at most;
	// default 5 s and 10 min.
	Pause, LongestPause time.Duration
}

// IsZero reports whether the file says nothing.
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
