// Package policy holds the rules of this repository that a compiler does not check: which
// packages may import which, what must be documented, how large files may get, how the
// files of a package refer to each other, and how text is written. Its tests are the
// rules. Relaxing one is a decision, and needs a sentence in docs/decisions.
package policy
