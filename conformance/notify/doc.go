// Package notify holds channels of notifications against real ends: a mail server (Exim)
// with TLS and authentication, and an API server that takes Events.
package notify
