// Package serve is an API server that encodes nothing while it serves: all
// objects lie encoded in a file that is mapped, and it writes around them the few
// bytes that a list or a watch has. So what is measured is the client.
//
// One client at a time may follow a set. Reset puts all sets back to where they
// began, for the next one; Start begins what is to happen after the first list.
package serve
