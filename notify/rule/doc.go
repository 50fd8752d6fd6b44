// Package rule decides which transitions and timers call for a message.
//
// # Data flow
//
//	a transition -> Input -> Set.Match -> the rules that call for a message
//	a rule's Timer, Quiet, Digest -> when it is sent
//
// # Ownership
//
// Rules and sets never change once they are used. Any number of goroutines may use them.
// An Input belongs to the caller.
//
// # Guarantees
//
// The same rule and input give the same answer: nothing here has a clock or a memory.
//
// # Limits
//
// To be written with the conditions.
//
// # Errors
//
// A condition that fails does not match, and Match reports it.
package rule
