// Package rule decides which transitions and timers call for a message.
//
// # Data flow
//
//	a transition -> Input -> Set.Match -> the rules that call for a message
//	a rule's Timer, Quiet, Digest, Flap, Escalate -> when it is sent, by package notify
//
// A rule selects by type, names, labels and states, and then by a condition in CEL over
// old and new:
//
//	new.state == "Failed" && new.labels.team == "ml"
//
// A label or a time that is missing makes a condition not hold, as "==" and as "!=".
// new.labels.?team.orValue("") stands for a label that may be missing.
//
// # Ownership
//
// Rules and sets never change once they are used. Any number of goroutines may use them.
// An Input belongs to the caller.
//
// # Guarantees
//
// The same rule and input give the same answer: nothing here has a clock or a memory.
// Conditions are compiled and checked when they are read. Check finds rules that no
// transition meets, such as a condition with a state that does not exist.
//
// # Limits
//
// A condition has at most 16 KiB. One evaluation costs at most MaxCost units of CEL's
// cost. A set remembers the rules of 4096 pairs of a type and a state.
//
// # Errors
//
// A condition that fails, for instance by a division by zero, does not match. Match
// reports it. The errors contain names of types and texts of rules.
package rule
