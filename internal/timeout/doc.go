// Package timeout bounds requests to a server that may not answer, and provides a sleep that a context ends.
package timeout
