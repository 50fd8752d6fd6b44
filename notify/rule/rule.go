package rule

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/state"
)

// Rule says which transitions or timers call for a message, to whom it goes, and when.
// A rule must not change once it is used; any number of goroutines may use it then.
type Rule struct {
	// Name is what messages call the rule. It is part of the keys of its messages: a rule
	// with another name is another rule.
	Name string
	// At is the place in the file, such as "notify.yaml:12". It may be empty.
	At string

	// Types selects types. Empty means all types, of objects that no other object controls.
	Types []TypePattern
	// Clusters, Namespaces and Queues select by name. Empty selects all.
	Clusters, Namespaces, Queues []Glob
	// Labels selects by labels; nil selects all.
	Labels labels.Selector
	// Enter and Leave select states that are entered and left. Both must hold; empty holds.
	Enter, Leave []state.State
	// When is a condition over both states; nil holds.
	When *Condition
	// Existing lets the rule match objects that existed before their type was recorded.
	Existing bool
	// Timer makes the rule one of a state that lasts. Enter and Leave are then empty.
	Timer *Timer

	// To are the receivers. Fallback are the receivers if To names nobody: the job names
	// no owner, or one that is not known.
	To, Fallback []Target
	// Language is "en" or "zh"; empty means that of the receiver, or of the file.
	Language string
	// Now sends at once also where the channel's default is a digest.
	Now bool
	// Urgent sends in quiet hours also.
	Urgent bool
	// Digest collects the messages; nil means the default of the channel.
	Digest *Digest
	// Quiet are the quiet hours of the rule; nil means none.
	Quiet *Quiet
	// Flap folds the messages of an object that changes its state again and again.
	Flap *Flap
	// Escalate tells others if nobody acknowledges; nil means that nobody is told.
	Escalate *Escalation
	// Templates are the words of the rule; nil means the words of the file, or the default.
	Templates *message.Templates
	// Log adds the last lines of the log for the owner and for private channels.
	Log bool
	// Latest sends only the newest message of an object that waits to be sent; older ones
	// are superseded.
	Latest bool
}

// Flap bounds the messages for an object that changes its state again and again.
type Flap struct {
	// Changes is how many messages are sent within Within; later ones go into a digest.
	Changes int
	// Within is the window, which moves with time.
	Within time.Duration
}

// Escalation tells others when nobody acknowledges.
type Escalation struct {
	// After is how long after the message was sent.
	After time.Duration
	// To are those who are told then.
	To []Target
}

// ID returns the name as it stands in keys, such as "my-failures" for "my failures".
func (r *Rule) ID() string { return idOf(r.Name) }

// Matches reports whether the transition calls for a message; for a rule with a timer,
// whether it starts the timer.
//
// Errors: the condition failed for another reason than a value that is missing. The
// rule does not match then.
func (r *Rule) Matches(in *Input) (bool, error) {
	if !r.selects(in) {
		return false, nil
	}
	if r.When == nil {
		return true, nil
	}
	return r.When.Holds(in)
}

// selects is Matches without the condition.
func (r *Rule) selects(in *Input) bool {
	return (r.Existing || !in.Existing) && r.selectsStates(in) && r.selectsType(&in.Object) && r.selectsObject(&in.Object)
}

func (r *Rule) selectsStates(in *Input) bool {
	if r.Timer != nil {
		return r.Timer.Starts(in)
	}
	if len(r.Enter) == 0 && len(r.Leave) == 0 {
		return true
	}
	return in.Entered() && (len(r.Enter) == 0 || slices.Contains(r.Enter, in.New.State)) && (len(r.Leave) == 0 || slices.Contains(r.Leave, in.Old.State))
}

func (r *Rule) selectsType(o *Object) bool {
	for _, p := range r.Types {
		if p.Matches(o.Type) {
			return true
		}
	}
	return len(r.Types) == 0 && o.Controller == ""
}

func (r *Rule) selectsObject(o *Object) bool {
	return matchesAny(r.Clusters, o.Cluster) && matchesAny(r.Namespaces, o.Namespace) && matchesAny(r.Queues, o.Queue) &&
		(r.Labels == nil || r.Labels.Matches(labels.Set(o.Labels)))
}
