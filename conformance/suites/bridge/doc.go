// Package bridge serves a cache.ListerWatcher over HTTP, without sockets, for tests.
//
// Tests of client-go feed their informers from fakes that hand out objects. A real
// client on the bridge turns these objects into the bytes of an API server, so the same
// tests run the code that reads bytes. The bridge works inside testing/synctest: it
// starts one goroutine for each watch, and the goroutine ends with the body of the watch
// or with the context of the request.
//
// A streaming list is the list of the source as ADDED events, then the bookmark that ends
// them, then the watch of the source from the version of the list. The bridge does not
// use a source's own streaming lists.
package bridge
