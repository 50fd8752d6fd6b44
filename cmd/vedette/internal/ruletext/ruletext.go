package ruletext

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// Trigger describes the trigger of a rule: "enters Failed", "waits 30m".
func Trigger(r *rule.Rule) string {
	var parts []string
	if t := r.Timer; t != nil {
		parts = append(parts, timerWords(t))
	}
	if len(r.Enter) > 0 {
		parts = append(parts, "enters "+job.JoinStates(r.Enter, ", "))
	}
	if len(r.Leave) > 0 {
		parts = append(parts, "leaves "+job.JoinStates(r.Leave, ", "))
	}
	if len(parts) == 0 {
		parts = append(parts, "changes its state")
	}
	if r.When != nil {
		parts = append(parts, "when "+r.When.String())
	}
	return strings.Join(parts, ", ")
}

func timerWords(t *rule.Timer) string {
	least := ""
	if t.After > 0 {
		least = " and " + units.ShortDuration(t.After)
	}
	switch t.Kind {
	case rule.Waits, rule.Runs:
		return t.Kind.String() + " " + units.ShortDuration(t.After)
	case rule.WaitsLongerThanUsual, rule.RunsLongerThanUsual:
		return t.Kind.String() + " longer than usual" + least
	case rule.NearDeadline:
		return units.ShortDuration(t.After) + " before its deadline"
	}
	var signals []string
	for _, s := range t.Signals {
		signals = append(signals, s.String())
	}
	return "no " + strings.Join(signals, ", ") + " for " + units.ShortDuration(t.After)
}

// Selection describes the objects that a rule applies to.
func Selection(r *rule.Rule) string {
	var parts []string
	for _, p := range r.Types {
		parts = append(parts, p.String())
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		text = "all without an owner"
	}
	for _, s := range []struct {
		what   string
		values []glob.Pattern
	}{{"clusters", r.Clusters}, {"namespaces", r.Namespaces}, {"queues", r.Queues}} {
		if len(s.values) > 0 {
			text += fmt.Sprintf("; %s %s", s.what, globs(s.values))
		}
	}
	if r.Labels != nil && !r.Labels.Empty() {
		text += "; " + r.Labels.String()
	}
	if r.Existing {
		text += "; also those that existed before"
	}
	return text
}

func globs(all []glob.Pattern) string {
	var words []string
	for _, g := range all {
		words = append(words, string(g))
	}
	return strings.Join(words, ", ")
}

// Receivers describes the receivers of a rule.
func Receivers(r *rule.Rule) string {
	text := targetWords(r.To)
	if len(r.Fallback) > 0 {
		text += ", else " + targetWords(r.Fallback)
	}
	if e := r.Escalate; e != nil {
		text += fmt.Sprintf("; after %s %s", units.ShortDuration(e.After), targetWords(e.To))
	}
	return text
}

func targetWords(all []rule.Target) string {
	var words []string
	for _, t := range all {
		words = append(words, t.String())
	}
	return strings.Join(words, ", ")
}

// Delivery describes when a rule sends its messages.
func Delivery(r *rule.Rule) string {
	var parts []string
	switch {
	case r.Digest != nil:
		parts = append(parts, "digest every "+units.ShortDuration(r.Digest.Every))
	case r.Now:
		parts = append(parts, "at once")
	default:
		parts = append(parts, "by kind and channel")
	}
	if r.Quiet != nil {
		parts = append(parts, fmt.Sprintf("quiet %s to %s", units.TimeOfDay(r.Quiet.From), units.TimeOfDay(r.Quiet.To)))
	}
	if r.Urgent {
		parts = append(parts, "urgent")
	}
	if r.Flap != nil {
		parts = append(parts, fmt.Sprintf("up to %d in %s", r.Flap.Changes, units.ShortDuration(r.Flap.Within)))
	}
	if r.Latest {
		parts = append(parts, "only the latest")
	}
	return strings.Join(parts, ", ")
}
