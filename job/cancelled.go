package job

import "strings"

// Cancelled applies the annotations of a cancellation to s, the status of an object by its
// type. ReadStatus calls it. A rule that replaces ReadStatus for a type calls it with its own
// result.
//
// A job that was cancelled by deleting it is Aborted from then on, unless it had ended. A
// job that was cancelled by suspending it is Aborted while it is on hold. If the operator
// of a job received a request to stop it, the status from the operator determines when it is
// Aborted. Reason is then "Cancelled", and Message names the actor, and the reason that the
// actor gave.
func Cancelled(object Object, s Status) Status { return object.kind().cancelled(object, s) }

func (k *Kind) cancelled(object Object, s Status) Status {
	actor := object.Annotation(CancelledByAnnotation)
	if actor == "" {
		return s
	}
	how, at := object.Annotation(CancelAnnotation), parseTime(object.Annotation(CancelledAtAnnotation))
	switch {
	case how == CancelDelete && (s.State == Aborted || !s.State.Final()):
		s = Status{State: Aborted, Raw: s.Raw, At: at}
	case how == CancelSuspend && k.onHold(object, s):
		s.State, s.At = Aborted, laterOf(s.At, at) // it may have been on hold before
	case how == CancelCommand && s.State == Aborted:
	default:
		return s
	}
	s.Reason, s.Message = "Cancelled", actor
	if why := object.Annotation(CancelReasonAnnotation); why != "" {
		s.Message += ": " + why
	}
	return s
}

// onHold reports whether a job is on hold. A job that Kueue admits is Queued then. A job
// that no controller has started yet is on hold as soon as its spec requests it.
func (k *Kind) onHold(job Object, s Status) bool {
	switch s.State {
	case Suspended:
		return true
	case Queued:
		return strings.Contains(strings.ToLower(s.Raw), "suspend")
	case "", Submitted:
		return k.Held(job)
	}
	return false
}
