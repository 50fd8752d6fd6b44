// Package explain formats an error as one line with a remedy.
package explain
