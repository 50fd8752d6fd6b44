// Package mutation finds handlers that change objects shared with other handlers.
//
// All handlers and readers of an informer get the same decoded object, in client-go and
// with our engine, so no handler may change it. A Detector hashes each object before a
// handler gets it, and compares the hash when the handler has returned, and again at the
// end of the test. client-go's own detector keeps a copy of each object instead.
package mutation
