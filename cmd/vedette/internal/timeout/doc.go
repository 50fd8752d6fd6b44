// Package timeout bounds requests to a server that may not answer.
package timeout
