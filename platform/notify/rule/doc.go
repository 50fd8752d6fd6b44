// Package rule decides which transitions and timers cause a message.
//
// # Data flow
//
//	a transition -> Input -> Set.Match -> the rules that match
//	a rule's Timer, Quiet, Digest, Flap, Escalate -> when the message is sent, by package notify
//
// A rule selects by type, names, labels and states, and then by a condition in CEL over
// old and new:
//
//	new.state == "Failed" && new.labels.team == "ml"
//
// A condition with a missing label or time does not hold, with "==" and with "!=".
// new.labels.?team.orValue("") is a label that may be missing.
//
// # Ownership
//
// Rules and sets never change after their first use. Any number of goroutines may use
// them. An Input belongs to the caller.
//
// # Guarantees
//
// The same rule and input give the same result: nothing here depends on a clock or on
// earlier calls. Conditions are compiled and checked when they are parsed. Check finds
// rules that no transition meets, such as a condition with a state that does not exist.
//
// # Limits
//
// A condition has at most 16 KiB. One evaluation costs at most MaxCost units of CEL's
// cost. A set indexes 4096 pairs of a type and a state.
//
// # Errors
//
// A condition that fails, for instance because of a division by zero, does not match.
// Match reports it. The errors contain names of types and texts of rules.
package rule
