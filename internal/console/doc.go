// Package console writes the output of the program: data to standard output, and everything for the
// user to standard error. Text of others is escaped.
package console
