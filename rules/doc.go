// Package rules says what objects of some types are doing, by rules that a user
// writes: expressions in CEL, in a YAML file. Where no rule fits, package state
// says it.
//
// # Data flow
//
//	YAML file -> Load -> Rules
//	an object's fields (as JSON has them) -> Rules.Of -> state.Status
//
// A file has a list of rules, each for one type and all versions of its API. Of its
// states the first holds whose expression is true:
//
//	rules:
//	- group: example.com
//	  kind: Experiment
//	  states:
//	  - when: object.status.phase == "Done" && object.status.exitCode == 0
//	    state: Succeeded
//	  - when: object.status.phase == "Done"
//	    state: Failed
//	    reason: "'Exit' + string(object.status.exitCode)"
//	    at: object.status.finishedAt
//	    message: object.status.?log.orValue("")
//	  - when: object.?status.phase.orValue("") == ""
//	    state: Submitted
//
// raw, reason, message and at are expressions too, and may be left out: raw is then
// status.phase. at is when the object came to the state, as the object says: a
// timestamp, or a text such as 2026-01-01T00:00:00Z. A field that is missing, or an item
// of a list, makes an expression not hold, a text empty, and a time not known.
//
// # Ownership
//
// Rules are immutable: any number of goroutines may use them.
//
// # Guarantees
//
// All mistakes of a file are found when it is loaded, each with its line: unknown
// fields, states that there are not, expressions that do not compile or are of
// another type. Afterwards nothing of a rule can fail but an expression on an
// object, which then does not hold; Rules.Failed counts those that failed for other
// reasons than a missing field or item.
//
// # Limits
//
// A file has at most 1 MiB. One evaluation costs at most 1,000,000 units of CEL's
// cost, which is some ms; beyond that it counts as failed.
//
// # Errors
//
// Load and Parse return all mistakes, joined.
package rules
