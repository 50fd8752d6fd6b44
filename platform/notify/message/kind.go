package message

import (
	"slices"
	"strings"
)

// Kind is the kind of a notice.
type Kind string

// The kinds. Each has its own title and sentence.
const (
	Started      Kind = "Started"
	NearDeadline Kind = "NearDeadline"
	RunningLong  Kind = "RunningLong"
	NoProgress   Kind = "NoProgress"
	WaitsLong    Kind = "WaitsLong"
	Restarted    Kind = "Restarted"
	Failed       Kind = "Failed"
	Succeeded    Kind = "Succeeded"
	Aborted      Kind = "Aborted"
	Deleted      Kind = "Deleted" // while it ran
	// StateChanged is any other transition, such as the transition to Queued.
	StateChanged Kind = "StateChanged"
	GapClosed    Kind = "GapClosed"
	Digest       Kind = "Digest"
	Escalation   Kind = "Escalation"
	Test         Kind = "Test"
)

// Kinds returns all kinds, in the order of the constants.
func Kinds() []Kind { return slices.Clone(kinds) }

var kinds = []Kind{
	Started, NearDeadline, RunningLong, NoProgress, WaitsLong, Restarted, Failed, Succeeded, Aborted, Deleted,
	StateChanged, GapClosed, Digest, Escalation, Test,
}

// Timer reports whether a timer, not a transition, causes notices of the kind.
func (k Kind) Timer() bool {
	return k == NearDeadline || k == RunningLong || k == NoProgress || k == WaitsLong
}

// AtOnce reports whether messages of the kind are sent immediately by default. The other
// kinds wait for a digest.
func (k Kind) AtOnce() bool {
	switch k {
	case Failed, NoProgress, NearDeadline, WaitsLong, Deleted, Escalation, Test, Digest:
		return true
	}
	return false
}

// EventType returns the CloudEvents type, such as "io.vedette.job.failed.v1".
func (k Kind) EventType() string {
	switch k {
	case WaitsLong:
		return "io.vedette.timer.waits.v1"
	case GapClosed:
		return "io.vedette.gap.closed.v1"
	case Digest, Escalation, Test:
		return "io.vedette." + strings.ToLower(string(k)) + ".v1"
	}
	if k.Timer() {
		return "io.vedette.timer." + strings.ToLower(string(k)) + ".v1"
	}
	return "io.vedette.job." + strings.ToLower(string(k)) + ".v1"
}
