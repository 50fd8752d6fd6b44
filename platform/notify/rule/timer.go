package rule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// TimerKind is the kind of a timer.
type TimerKind int

const (
	// Waits fires when a job has waited for After.
	Waits TimerKind = iota + 1
	// WaitsLongerThanUsual fires when a job has waited longer than nine in ten jobs of its
	// queue did.
	WaitsLongerThanUsual
	// Runs fires when a job has run for After.
	Runs
	// RunsLongerThanUsual fires when a job has run longer than nine in ten jobs of its
	// queue did.
	RunsLongerThanUsual
	// NearDeadline fires After before the deadline of a job.
	NearDeadline
	// NoProgress fires when no signal of a running job has changed for After.
	NoProgress
)

// String returns the field of the file that makes a timer of the kind.
func (k TimerKind) String() string {
	switch k {
	case Waits, WaitsLongerThanUsual:
		return "waits"
	case Runs, RunsLongerThanUsual:
		return "runs"
	case NearDeadline:
		return "near-deadline"
	case NoProgress:
		return "no-progress"
	}
	return "unknown"
}

// Timer sends a message without a transition: when a state lasts. It fires once for each
// time that a state is entered.
type Timer struct {
	Kind TimerKind
	// After is how long the state lasts before the timer fires; for NearDeadline how long
	// before the deadline it fires. With the kinds that are longer than usual it is the
	// least time, which may be 0.
	After time.Duration
	// Signals are what NoProgress watches; the newest counts. Other kinds have none.
	Signals []Signal
}

// SignalKind says where progress shows.
type SignalKind int

const (
	// Log is a line in the log of any of the job's pods.
	Log SignalKind = iota + 1
	// Annotation is a change of the value of an annotation of the job.
	Annotation
	// Status is a change of a field below the status of the job.
	Status
)

// Signal is a place where the progress of a job shows.
type Signal struct {
	Kind SignalKind
	// Name is the key of the annotation, or the path of the field below status, with dots.
	Name string
}

// String returns the signal as it is written in a rule.
func (s Signal) String() string {
	switch s.Kind {
	case Annotation:
		return "annotation " + s.Name
	case Status:
		return "status " + s.Name
	}
	return "log"
}

// Counts reports whether the time in the new state counts for the timer. Waiting is
// Submitted, Queued, and Suspended in a queue, because Kueue suspends a job until it is
// admitted. Running includes Restarting.
func (t *Timer) Counts(in *Input) bool {
	switch {
	case t.OfWait():
		return waiting(&in.Object, in.New.State)
	case t.Kind == NearDeadline:
		return in.New.State != "" && !in.New.State.Final()
	}
	return in.New.State == job.Running || in.New.State == job.Restarting
}

// MayCount is Counts before the pods of the job are known: a job that its controller calls
// Starting waits if its pods fit on no node (job.Status.WithPods).
func (t *Timer) MayCount(in *Input) bool {
	return t.Counts(in) || t.OfWait() && in.New.State == job.Starting
}

// OfWait reports whether the timer counts the time for which a job waits.
func (t *Timer) OfWait() bool { return t.Kind == Waits || t.Kind == WaitsLongerThanUsual }

// Starts reports whether the transition starts the timer: the new state may count, and the
// old one does not. Submitted, Queued, Starting is one wait, as far as the job waits.
func (t *Timer) Starts(in *Input) bool {
	if !t.MayCount(in) {
		return false
	}
	before := Input{Object: in.Object, New: in.Old}
	return !t.MayCount(&before)
}

func waiting(o *Object, s job.State) bool {
	return s.Waits() || s == job.Suspended && o.Queue != ""
}

// ParseSignal reads a signal: "log", "annotation NAME" or "status FIELD".
func ParseSignal(text string) (Signal, error) {
	kind, name, _ := strings.Cut(text, " ")
	name = strings.TrimSpace(name)
	switch {
	case kind == "log" && name == "":
		return Signal{Kind: Log}, nil
	case kind == "annotation" && name != "" && !strings.ContainsAny(name, " \t\n"):
		return Signal{Annotation, name}, nil
	case kind == "status" && name != "" && !strings.ContainsAny(name, " \t\n"):
		return Signal{Status, strings.TrimPrefix(name, "status.")}, nil
	case text == "":
		return Signal{}, errors.New("the signal is empty; write log, annotation NAME or status FIELD")
	}
	return Signal{}, fmt.Errorf("%q is not a signal; write log, annotation NAME or status FIELD", text)
}
