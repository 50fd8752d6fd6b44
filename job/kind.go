package job

import (
	"slices"
	"strings"
)

// Kind is a type of objects, and everything that differs between types. Each operator has a
// file with its kinds.
type Kind struct {
	// Group is the API group, "" for the core group. Name is the kind, such as "PyTorchJob".
	Group, Name string
	// Resource is the plural, such as "pytorchjobs".
	Resource string
	// Job reports that its objects are jobs, which are listed.
	Job bool
	// Indirect reports that other objects control the pods of a job.
	Indirect bool
	// Suspend is the path of the mapping with the fields suspend and managedBy, and Manager the
	// value of managedBy that names the operator. Suspend is nil if jobs cannot be suspended.
	Suspend []string
	Manager string
	// Command reports that the operator stops a job on command: by the field Stop, or by a
	// Command object if Stop has no path.
	Command bool
	Stop    Field

	status      func(Object) Status
	podSets     func(Object) []podSet
	requests    func(*Spec)                    // facts of the spec that the pods do not have
	podLabels   func(Object) map[string]string // of pods that the job does not control
	selector    string                         // label of all pods with the name of the job
	suspendable func(Object) bool
	forget      func(Object) // removes fields that a copy must not have
}

// Field is a field of an object, and a value of it.
type Field struct {
	Path  []string
	Value any
}

// Type returns the name of the type, such as "pytorchjobs.kubeflow.org".
func (k *Kind) Type() string { return strings.TrimSuffix(k.Resource+"."+k.Group, ".") }

// Suspendable reports whether the operator accepts the suspension of a job.
func (k *Kind) Suspendable(o Object) bool {
	return k != nil && k.Suspend != nil && (k.suspendable == nil || k.suspendable(o))
}

// Resumed reports whether a queue manager would resume a suspended job.
func (k *Kind) Resumed(o Object) bool {
	if k == nil {
		return false
	}
	by := o.Text(append(slices.Clone(k.Suspend), "managedBy")...)
	return o.Text("metadata", "labels", KueueQueueLabel) != "" || by != "" && by != k.Manager
}

// Forget removes the fields that a copy of a job must not have from its spec.
func (k *Kind) Forget(o Object) {
	if k == nil {
		return
	}
	if k.Suspend != nil {
		o.remove(append(slices.Clone(k.Suspend), "suspend")...)
	}
	if k.forget != nil {
		k.forget(o)
	}
}

// Selector returns the label with the name of the job on all its pods, or "".
func (k *Kind) Selector() string {
	if k == nil {
		return ""
	}
	return k.selector
}

// Restarts reports whether the operator of the kind would create a deleted object of its own
// again.
func (k *Kind) Restarts() bool {
	return k != nil && (k.Suspend != nil || k.Command && k.Stop.Path == nil)
}
