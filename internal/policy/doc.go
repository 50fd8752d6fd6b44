// Package policy holds the rules of this repository that a compiler does not: who
// may import whom, what must be documented, how large things may get. Its tests
// are the rules. To relax one is a decision, and needs a sentence in
// docs/decisions.
package policy
