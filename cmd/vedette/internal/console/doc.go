// Package console writes the output of the program: data to standard output, and everything for the
// user to standard error. Untrusted text is escaped.
package console
