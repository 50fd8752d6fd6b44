// Package mutation finds handlers that change the objects they share with others.
//
// All handlers and readers of an informer get the same decoded object, in client-go and
// with our engine, so nobody may change it. A Detector takes a hash of each object before
// a handler gets it. It compares the hash when the handler has returned, and again at the
// end of the test. client-go's own detector keeps a copy of each object instead.
package mutation
