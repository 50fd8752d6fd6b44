// Package invocation returns the command with which the program was started.
package invocation
