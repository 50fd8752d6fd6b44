package submit

import (
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/job"
)

// plan has the remaining steps to cancel a job in its current state.
type plan struct {
	way
	// claim is the cancellation in the mark of the job; Actor is empty without a mark.
	claim Cancelled
	// done: no step remains.
	done bool
	// keep: the mark already has the first actor.
	keep bool
}

// claimOf returns the cancellation in the annotations of an object.
func claimOf(object *unstructured.Unstructured) Cancelled {
	a := object.GetAnnotations()
	at, _ := time.Parse(time.RFC3339, a[job.CancelledAtAnnotation])
	return Cancelled{Actor: a[job.CancelledByAnnotation], Reason: a[job.CancelReasonAnnotation], At: at.UTC(), How: a[job.CancelAnnotation]}
}

// ofType returns the status of an object by its type, ignoring a cancellation.
func ofType(object *unstructured.Unstructured) job.Status {
	plain := maps.Clone(object.Object)
	if m, ok := plain["metadata"].(map[string]any); ok {
		m = maps.Clone(m)
		delete(m, "annotations")
		plain["metadata"] = m
	}
	return job.ReadStatus(plain)
}

// planOf returns the plan to cancel a job.
//
// Errors: *FinishedError; errcode.Invalid for a method that the type does not support,
// and for a job that its parent would start again.
func planOf(j Job, how How) (plan, error) {
	object := j.Object
	p := plan{claim: claimOf(object)}
	if object.GetDeletionTimestamp() != nil {
		p.done = true
		return p, nil
	}
	if parent := parentOf(object); parent != "" {
		return p, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s belongs to %s, which would start it again", j, parent), Remedy: "cancel that"}
	}
	var err error
	if p.way, err = wayOf(object, how); err != nil {
		return p, err
	}
	s := ofType(object)
	if p.claim.Actor != "" {
		p.resume(object, s, how)
	}
	if s.State.Final() && !p.done && !(p.keep && s.State == job.Aborted) {
		return p, &FinishedError{Job: j.String(), State: s.State, Since: s.At}
	}
	return p, nil
}

// resume adjusts the plan for a job that is marked as cancelled. A suspended job that was
// resumed counts as not cancelled.
func (p *plan) resume(object *unstructured.Unstructured, s job.Status, how How) {
	switch p.claim.How {
	case job.CancelDelete: // marked, but not deleted
		p.way, p.keep = way{how: job.CancelDelete}, true
	case job.CancelSuspend:
		w, err := wayOf(object, Suspending)
		held := err == nil && w.applied(object)
		p.done, p.keep = held && how != Deleting, held
	case job.CancelCommand:
		stopped := s.State == job.Aborted || p.applied(object)
		p.done, p.keep = stopped && how != Deleting, stopped || !s.At.After(p.claim.At)
	}
}
