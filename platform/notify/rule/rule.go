package rule

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Rule defines which transitions or timers cause a message, its receivers, and its times.
// A rule must not change after its first use; then any number of goroutines may use it.
type Rule struct {
	// Name is the name of the rule in messages. It is part of the keys of its messages, so
	// a renamed rule is another rule.
	Name string
	// At is the position in the file, such as "notify.yaml:12". It may be empty.
	At string

	// Types selects types. Empty means all types, but only objects that no other object
	// controls.
	Types []TypePattern
	// Clusters, Namespaces and Queues select by name. Empty selects all.
	Clusters, Namespaces, Queues []glob.Pattern
	// Labels selects by labels; nil selects all.
	Labels labels.Selector
	// Enter and Leave select the states that are entered and left. Both must match; empty
	// matches all.
	Enter, Leave []job.State
	// When is a condition over both states; nil always holds.
	When *Condition
	// Existing is set if the rule also matches objects that existed before their type was
	// recorded.
	Existing bool
	// Timer makes this a rule about a state that lasts. Enter and Leave are then empty.
	Timer *Timer

	// To are the receivers. Fallback are the receivers if To yields none, because the job
	// names no owner or an unknown one.
	To, Fallback []Target
	// Language is "en" or "zh"; empty means the language of the receiver, or of the file.
	Language string
	// Now sends immediately, even if the channel's default is a digest.
	Now bool
	// Urgent sends in quiet hours too.
	Urgent bool
	// Digest collects the messages; nil means the default of the channel.
	Digest *Digest
	// Quiet are the quiet hours of the rule; nil means none.
	Quiet *Quiet
	// Flap limits the messages of an object that changes its state again and again.
	Flap *Flap
	// Escalate sends to others if nobody acknowledges; nil means no escalation.
	Escalate *Escalation
	// Templates are the templates of the rule; nil means those of the file, or the default
	// words.
	Templates *message.Templates
	// Log adds the last lines of the log for the owner and for private channels.
	Log bool
	// Latest sends only the newest unsent message of an object; older ones are superseded.
	Latest bool
}

// Flap limits the messages of an object that changes its state again and again.
type Flap struct {
	// Changes is the maximum number of messages within Within; later ones go into a
	// digest.
	Changes int
	// Within is the length of the sliding window.
	Within time.Duration
}

// Escalation sends to others if nobody acknowledges a message.
type Escalation struct {
	// After is the time between the message and the escalation.
	After time.Duration
	// To are the receivers of the escalation.
	To []Target
}

// ID returns the name in the form of keys, such as "my-failures" for "my failures".
func (r *Rule) ID() string { return idOf(r.Name) }

// ReadsNode reports whether the condition of the rule may read Object.Node.
func (r *Rule) ReadsNode() bool {
	return r.When != nil && strings.Contains(r.When.String(), nodeField)
}

// Matches reports whether a transition causes a message; for a rule with a timer, whether
// it starts the timer.
//
// Errors: the condition failed for another reason than a missing value. The rule does not
// match then.
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
	return glob.MatchesAny(r.Clusters, o.Cluster) && glob.MatchesAny(r.Namespaces, o.Namespace) && glob.MatchesAny(r.Queues, o.Queue) &&
		(r.Labels == nil || r.Labels.Matches(labels.Set(o.Labels)))
}
