package job

import (
	"slices"
	"strings"
)

// Kind is a type of objects, and everything that differs between types. Each operator has a
// file with its kinds. A program may define others; see Define.
type Kind struct {
	// Group is the API group, "" for the core group. Name is the kind, such as "PyTorchJob".
	Group, Name string
	// Resource is the plural, such as "pytorchjobs".
	Resource string
	// Job reports that its objects are jobs, which are listed. A job ends.
	Job bool
	// Indirect reports that other objects control pods of a job.
	Indirect bool
	// PodLabel is the label of all pods of a job with the name of the job, or "" if no label has
	// it.
	// PodLabelValue is the path of its value in the job; nil means the name of the job.
	PodLabel      string
	PodLabelValue []string
	// Suspend ends the pods of a job until it is resumed. Hold keeps a job from starting that
	// cannot be suspended later; its zero value means Suspend. Stop makes the operator end a job
	// for good. A field without a path does not exist.
	Suspend, Hold, Stop Field
	// Command reports that a Command object of Volcano makes the operator stop a job.
	Command bool
	// Manager is the value of the field managedBy, beside Suspend, that names the operator.
	Manager string
	// OfRun are the paths of fields of one run, which a copy of a job must not have, besides
	// Suspend, Hold and Stop.
	OfRun [][]string
	// Pods are the pods of a job that its fields describe.
	Pods []PodField
	// Status is the rule for the status of an object; nil means its phase or conditions. The rule
	// of a kind without jobs reads only scalars of spec.
	Status func(Object) Status

	podSets     func(Object) []podSet // instead of Pods
	nested      func(Object) []nested // objects of other kinds that describe pods, instead of Pods
	requests    func(*Spec)           // facts of the spec that the pods do not have
	suspendable func(Object) bool
	ofOthers    [][]string   // fields of one run, if the job is not suspendable
	forget      func(Object) // removes fields that depend on others from a copy
}

// Field is a field of an object and two values: On, and Off, which is nil if the field is
// missing then.
type Field struct {
	Path    []string
	On, Off any
}

// suspend returns the field suspend of a mapping.
func suspend(mapping ...string) Field { return Field{append(mapping, "suspend"), true, false} }

// Is reports whether the field of an object has the value On.
func (f Field) Is(o Object) bool { return f.Path != nil && o.At(f.Path...) == f.On }

// Type returns the name of the type, such as "pytorchjobs.kubeflow.org".
func (k *Kind) Type() string { return strings.TrimSuffix(k.Resource+"."+k.Group, ".") }

// IsJob reports whether its objects are jobs. A nil kind has none.
func (k *Kind) IsJob() bool { return k != nil && k.Job }

// Suspendable reports whether the operator accepts the suspension of a job.
func (k *Kind) Suspendable(o Object) bool {
	return k != nil && k.Suspend.Path != nil && (k.suspendable == nil || k.suspendable(o))
}

// HoldField returns the field that keeps a job from starting. It has no path if the type has no
// such field.
func (k *Kind) HoldField(o Object) Field {
	switch {
	case k == nil:
		return Field{}
	case k.Hold.Path != nil:
		return k.Hold
	case k.Suspendable(o):
		return k.Suspend
	}
	return Field{}
}

// Held reports whether the spec of a job asks that it does not run.
func (k *Kind) Held(o Object) bool { return k != nil && (k.Suspend.Is(o) || k.Hold.Is(o)) }

// Resumed reports whether a queue manager would resume a suspended job.
func (k *Kind) Resumed(o Object) bool {
	if k == nil {
		return false
	}
	by := ""
	if n := len(k.Suspend.Path); n > 0 {
		by = o.Text(append(slices.Clone(k.Suspend.Path[:n-1]), "managedBy")...)
	}
	return o.Text("metadata", "labels", KueueQueueLabel) != "" || by != "" && by != k.Manager
}

// Forget removes the fields that a copy of a job must not have.
func (k *Kind) Forget(o Object) {
	if k == nil {
		return
	}
	paths := k.runFields()
	if !k.Suspendable(o) {
		paths = append(paths, k.ofOthers...)
	}
	for _, path := range paths {
		o.remove(path...)
	}
	if k.forget != nil {
		k.forget(o)
	}
}

// runFields returns the paths of the fields of one run.
func (k *Kind) runFields() (paths [][]string) {
	for _, f := range []Field{k.Suspend, k.Hold, k.Stop} {
		if f.Path != nil {
			paths = append(paths, f.Path)
		}
	}
	return append(paths, k.OfRun...)
}

// PodLabels returns the label that selects all pods of a job, or nil.
func (k *Kind) PodLabels(o Object) map[string]string {
	if k == nil || k.PodLabel == "" {
		return nil
	}
	path := k.PodLabelValue
	if path == nil {
		path = []string{"metadata", "name"}
	}
	value := o.Text(path...)
	if value == "" {
		return nil
	}
	return map[string]string{k.PodLabel: value}
}

// FindsPods reports whether the pods of a job are found even if no object between them and the
// job is recorded. If not, a job without pods may have some that are not recorded.
func (k *Kind) FindsPods() bool { return k != nil && (!k.Indirect || k.PodLabel != "") }

// Restarts reports whether the operator of the kind would create a deleted object of its own
// again.
func (k *Kind) Restarts() bool { return k != nil && (k.Suspend.Path != nil || k.Command) }
