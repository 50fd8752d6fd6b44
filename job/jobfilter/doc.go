// Package jobfilter implements the filter language of lists of jobs in URLs.
//
// # Data flow
//
//	parameters of a URL -> Parse -> Filter -> Compile -> Matcher, or one Test for each Term
//	Filter -> Query -> parameters of a URL
//
// A parameter is a key and a value: "queue=gpu". A repeated key matches any of its values, "!"
// before a value excludes it, and "*" within a value matches any text. Numbers, durations and
// times can be compared with >, >=, < and <=; all comparisons must hold. The value of "label"
// is the name of a label, or name=value. An empty text value matches jobs without one. "q"
// has words that must be parts of the name of a job.
//
// A time is RFC 3339, a day, a minute of today, or an age; the last three are in UTC. It names
// an interval: the day, the minute, the second, or everything since the age. A comparison
// with an age compares with its instant: "submitted=>24h" means later than 24 hours ago.
//
// # Ownership
//
// All types are immutable values, which are safe for concurrent use.
//
// # Guarantees
//
// Parse of the result of Query returns the same filter. A pattern is matched in time that is
// linear in the text.
//
// # Limits
//
// A filter has at most 200 values of 512 bytes each, and 16 words of 512 bytes together. A
// value cannot begin with a literal "!" or contain a literal "*".
//
// # Errors
//
// Parse returns all mistakes, at most 21. Each is a Mistake that names its parameter.
package jobfilter
