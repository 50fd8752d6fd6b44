// Package kube connects to a cluster, finds out what types it serves, and opens
// lists and watches as streams of bytes. It is the only package that knows HTTP.
//
// # Data flow
//
//	Config -> Connect -> Cluster
//	Cluster.Resolve("pods") -> Resource
//	Cluster.Collection(Resource, Selection) -> Collection.List, Watch -> wire.Stream
//
// # Ownership
//
// A Cluster and its Collections may be used by any number of goroutines. A
// stream belongs to who asked for it, and must be closed. Nothing here starts
// a goroutine beyond those of net/http, which end when streams are closed and
// [Cluster.Close] was called.
//
// # Guarantees
//
// The context of a request governs all of it: the dialling, the wait for an
// answer, and every read of the body. Requests are not slowed down on this
// side: a list or watch is one request, and the server has its own flow
// control (KEP-1040), whose 429 the reflector honours.
//
// # Limits
//
// Of an answer that is an error at most 64 KiB are read. Discovery is kept in
// memory, a few hundred bytes for each type, and fetched anew when a name is not
// in it.
//
// # Errors
//
// What the server refuses is an *apierrors.StatusError, with the answer's
// Retry-After in its details; a type that it does not serve is an
// [UnknownResourceError]; a configuration that leads nowhere is a
// [ConfigError]; anything else is what net/http returned, wrapped. [Explain]
// makes one sentence of any of them.
package kube
