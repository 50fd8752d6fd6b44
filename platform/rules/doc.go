// Package rules reads the rules of types that a user writes, in a YAML file: the states of
// their objects as expressions in CEL, and whole kinds of jobs. If no rule fits, package job
// computes the state.
//
// # Data flow
//
//	YAML file -> Load -> Rules
//	an object's fields (as JSON has them) -> Rules.Of -> job.Status
//	Rules -> Define -> the kinds of package job
//
// A file has a list of rules, each for one type and all versions of its API. The first
// state whose expression is true is the state of the object:
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
// raw, reason, message and at are optional expressions; the default of raw is status.phase.
// at is when the object entered the state, as the object records it: a timestamp, or a text
// such as 2026-01-01T00:00:00Z. If a field or an item of a list is missing, a condition is
// false, a text is empty, and a time is unknown.
//
// A rule with the field resource makes its type one of jobs. Its other fields are those of
// job.Kind: pods, suspend, hold, stop and of-run; docs/kinds.md explains them.
//
// # Ownership
//
// Rules are immutable: any number of goroutines may use them.
//
// # Guarantees
//
// All mistakes of a file are found when it is loaded, each with its line: unknown
// fields, unknown states, expressions that do not compile or have the wrong type.
// Afterwards only the evaluation of an expression on an object can fail; its condition is
// then false. Rules.Failed counts the failures except missing fields and items.
//
// # Limits
//
// A file has at most 1 MiB. One evaluation costs at most 1,000,000 units of CEL's
// cost, which takes some milliseconds; beyond that it counts as failed.
//
// # Errors
//
// Load and Parse return all mistakes, joined. Define returns the error of job.Define for a kind
// that is built in.
package rules
