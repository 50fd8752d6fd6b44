package state

import "github.com/vedette-io/vedette/jobmeta"

// Cancelled applies the annotations of a cancellation (package jobmeta) to s, the status of
// an object by its type. Of calls it. A rule that replaces Of for a type calls it with its
// own result.
//
// A job that was cancelled by deleting it is Aborted from then on, unless it had ended. A
// job that was cancelled by suspending it is Aborted while it is on hold. If the operator
// of a job received a request to stop it, the status from the operator determines when it is Aborted.  Reason is then "Cancelled",
// and Message names the actor, and the reason that the actor gave.
func Cancelled(object map[string]any, s Status) Status {
	actor := annotation(object, jobmeta.CancelledBy)
	if actor == "" {
		return s
	}
	how, at := annotation(object, jobmeta.Cancel), parse(annotation(object, jobmeta.CancelledAt))
	switch {
	case how == jobmeta.CancelDelete && (s.State == Aborted || !s.State.Final()):
		s = Status{State: Aborted, Raw: s.Raw, At: at}
	case how == jobmeta.CancelSuspend && held(object, s):
		s.State, s.At = Aborted, later(s.At, at) // it may have been on hold before
	case how == jobmeta.CancelCommand && s.State == Aborted:
	default:
		return s
	}
	s.Reason, s.Message = "Cancelled", actor
	if why := annotation(object, jobmeta.CancelReason); why != "" {
		s.Message += ": " + why
	}
	return s
}

// held reports whether a job is on hold. A job that Kueue admits is Queued then. A job
// that no controller has started yet is on hold as soon as its spec requests it.
func held(job map[string]any, s Status) bool {
	suspend, _ := field(job, "spec", "suspend").(bool)
	switch s.State {
	case Suspended:
		return true
	case Queued:
		return s.Raw == "Suspended" || s.Raw == "Suspending"
	case "", Submitted:
		return suspend
	}
	return false
}
