// Package notify tests channels of notifications with real receivers: a mail server
// (Exim) with TLS and authentication, and an API server for Events.
package notify
