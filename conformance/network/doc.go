// Package network is a network between a client and a server that tests can cut: a proxy
// on a loopback address that resets, refuses, stalls and drops connections, or redirects
// them to another server.
package network
