// Package serve is an API server that encodes nothing while it serves: all objects are
// encoded in a mapped file, and the server only adds the few bytes of a list or a watch
// around them. So the cost of the client dominates the measurements.
//
// One client at a time may follow a set. Reset resets all sets to their initial state,
// for the next client; Start begins the changes after the first list.
package serve
