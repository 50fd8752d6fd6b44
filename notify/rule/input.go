package rule

import (
	"strings"
	"time"

	"github.com/vedette-io/vedette/state"
)

// Input is what a rule is evaluated on: a transition, or the transition with which an
// object entered the state that a timer watches. An Input is read by one goroutine at a
// time and must not change while rules read it.
type Input struct {
	// Object is what does not depend on the state. Old and New share it.
	Object Object
	// Old is the state that was left. Its zero value means that the object is new.
	Old View
	// New is the state that was entered.
	New View
	// Late says that the transition was found afterwards, and not when it happened.
	Late bool
	// Existing says that the object existed before its type was recorded. Only rules with
	// Rule.Existing match then.
	Existing bool
}

// Object is an object as rules see it.
type Object struct {
	// Cluster is the name of the cluster.
	Cluster string
	// Type is the type of the object.
	Type Type
	// Namespace and Name identify the object within its type.
	Namespace, Name string
	// Queue is where the job waits, "" if it has none.
	Queue string
	// Submitter is the person or program that created the job, "" if nothing says it.
	Submitter string
	// Owner is the person or channel that the job names by an annotation or a label, else
	// the submitter.
	Owner string
	// Controller is the kind and name of the object that controls this one, such as
	// "CronJob/nightly", "" if none does.
	Controller string
	// Labels are those of the object. Rules do not change them.
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
	// State is the common state, "" if none fits.
	State state.State
	// Raw is the type's own word, such as a phase.
	Raw string
	// Reason and Message say why, as the object does.
	Reason, Message string
	// Since is when the object entered the state. Zero means that it is not known.
	Since time.Time
}

// Entered reports whether the common state changed. A transition may also change the
// raw state alone.
func (in *Input) Entered() bool { return in.Old.State != in.New.State }

// spent returns how long the object was in the old state, 0 if that is not known.
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

// ParseTypePattern reads a pattern. The name before the first dot is a plural, a kind in
// any case, or "*"; the rest is the API group. Without a group, all groups match.
//
// Errors: the pattern is empty, or has a character that no type has.
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
