package rule

import (
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// Input is the input of a rule: a transition, or the transition that began the state of a
// timer. Only one goroutine at a time may read an Input, and it must not change in the
// meantime.
type Input struct {
	// Object has the fields that do not depend on the state. Old and New share it.
	Object Object
	// Old is the state that was left. Its zero value means that the object is new.
	Old View
	// New is the state that was entered.
	New View
	// Late is set if the transition was found afterwards.
	Late bool
	// Existing is set if the object existed before its type was recorded. Only rules with
	// Rule.Existing match then.
	Existing bool
}

// Object has the fields of an object that rules can read.
type Object struct {
	// Cluster is the name of the cluster.
	Cluster string
	// Type is the type of the object.
	Type Type
	// Namespace and Name identify the object within its type.
	Namespace, Name string
	// Queue is the queue of the job, or "".
	Queue string
	// Submitter is the person or program that created the job, or "" if unknown.
	Submitter string
	// Owner is the person or channel that the job names by an annotation or a label, else
	// the submitter.
	Owner string
	// Controller is the kind and name of the object that controls this one, such as
	// "CronJob/nightly", or "".
	Controller string
	// Node is the node of the pod that ended first, if the job failed, restarted or was
	// aborted, or "". Read it only for rules with Rule.ReadsNode.
	Node string
	// Labels are the labels of the object. Rules do not change them.
	Labels map[string]string
}

// Type identifies a type in all versions of its API.
type Type struct {
	// Group is the API group, "" for the core group.
	Group string
	// Resource is the plural name, such as "pytorchjobs".
	Resource string
	// Kind is the name of one object of the type, such as "PyTorchJob".
	Kind string
}

// String returns the resource with its group, such as "pytorchjobs.kubeflow.org".
func (t Type) String() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

// View is the state of an object at one time.
type View struct {
	// State is the common state, or "" if none fits.
	State job.State
	// Raw is the type's own word, such as a phase.
	Raw string
	// Reason and Message explain the state, as the object does.
	Reason, Message string
	// Since is the time when the object entered the state. Zero means unknown.
	Since time.Time
}

// Entered reports whether the common state changed. Some transitions change only the raw
// state.
func (in *Input) Entered() bool { return in.Old.State != in.New.State }

// spent returns how long the object was in the old state, 0 if unknown.
func (in *Input) spent() time.Duration {
	if in.Old.Since.IsZero() || in.New.Since.IsZero() || in.New.Since.Before(in.Old.Since) {
		return 0
	}
	return in.New.Since.Sub(in.Old.Since)
}

// TypePattern selects types: "jobs.batch", "jobs", "Job", "*.kubeflow.org" or "*".
type TypePattern struct {
	text, name, group string
	anyGroup          bool
}

// ParseTypePattern parses a pattern. The name before the first dot is a plural, a kind in
// any case, or "*"; the rest is the API group. Without a group, all groups match.
//
// Errors: the pattern is empty, or has a character that no type name contains.
func ParseTypePattern(text string) (TypePattern, error) {
	name, group, grouped := strings.Cut(text, ".")
	switch {
	case text == "":
		return TypePattern{}, errTypeEmpty
	case name == "" || grouped && group == "" || strings.ContainsFunc(text, func(r rune) bool { return !typeRune(r) }) || name != "*" && strings.Contains(name, "*") || strings.Contains(group, "*"):
		return TypePattern{}, errType(text)
	}
	return TypePattern{text: text, name: strings.ToLower(name), group: group, anyGroup: !grouped}, nil
}

// String returns the pattern as it was written.
func (p TypePattern) String() string { return p.text }

// Matches reports whether a type is selected.
func (p TypePattern) Matches(t Type) bool {
	if !p.anyGroup && p.group != t.Group {
		return false
	}
	return p.name == "*" || strings.EqualFold(p.name, t.Resource) || strings.EqualFold(p.name, t.Kind)
}

func typeRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '*'
}
