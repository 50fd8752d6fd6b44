// Package kube connects to a cluster, finds out what types it serves, opens
// lists and watches as streams of bytes, and reads and writes objects. It is the
// only package that knows HTTP.
//
// # Data flow
//
//	Config -> Connect -> Cluster
//	Cluster.Resolve("pods") -> Resource
//	Cluster.Collection(Resource, Selection) -> Collection.List, Watch -> wire.Stream
//	TargetOf[T](TypeConfig), Named("pods") -> Target
//	Cluster.Source(Target, Selection) -> Source.List, Watch, also of a type that comes later
//	For[T](Cluster, ClientConfig) -> Client[T].Get, List, Watch, Create, Update, Mutate, Patch, Apply, Delete, DeleteAll, Scale
//	Client[T].Status() -> StatusClient[T].Update, Mutate, Patch, Apply
//	WithWrites(ctx, func(Written)) <- whatever is written with ctx
//	Cluster.Do(Request) -> the body of any answer
//
// A [Client] is made for the Go struct of a type, built in or custom, for
// unstructured.Unstructured or for metav1.PartialObjectMetadata. Built-in types
// travel in protobuf where the server has it, everything else in JSON. Beside it
// stand the few functions that every controller needs: [SetController],
// [ControllerOf], [AddFinalizer], [RemoveFinalizer], [HasFinalizer],
// [SetCondition], [FindCondition].
//
// # Ownership
//
// A Cluster, its Collections and its Clients may be used by any number of
// goroutines. A stream belongs to who asked for it, and must be closed. Objects
// that a client returns belong to the caller; those handed in are only read. The
// sequences of List and Watch run on the goroutine that ranges over them, and so
// do the functions handed to Mutate and WithWrites. Nothing here starts a
// goroutine beyond those of net/http, which end when streams are closed and
// [Cluster.Close] was called.
//
// # Guarantees
//
// The context of a request governs all of it: the dialling, the wait for an
// answer, and every read of the body. Collections are not slowed down on this
// side: a list or watch is one request, and the server has its own flow
// control (KEP-1040), whose 429 the reflector honours. Clients honour it too, and
// the rate limit of the configuration, if it has one.
//
// What makes no sense in itself (an object without a name, a namespace for a type
// that lives in none, an update without the version that was read) is refused
// before anything is sent. Names are checked and escaped where the path is built,
// so none leads to another path. A client never writes over what it has not seen: Update
// needs the resourceVersion that was read, and Mutate reads again where it has
// changed. A write is sent again only where the server has said that it did
// nothing (429, or 415 for protobuf). Every write with a context of [WithWrites]
// that was answered is reported before its method returns.
//
// # Limits
//
// Of an answer that is an error at most 64 KiB are read, of an object 32 MiB. A
// list holds one page of ClientConfig.PageSize encoded objects; a watch one. A
// server that is too busy is waited for ten times, up to a minute each, and
// conflicts make Mutate try ten times. Built-in types need no discovery. That of others
// is kept in memory, a few hundred bytes for each type, and fetched again when a name
// is not in it: for the sake of a Source once a second at most. It ends after 10 s
// without an answer, and has 64 MiB at most. Warnings of the
// server are not shown. An answer that is lost leaves open whether a write
// happened.
//
// # Errors
//
// What the server refuses is an *apierrors.StatusError, with the answer's
// Retry-After in its details; a type that it does not serve is an
// [UnknownResourceError], one that it cannot tell of a [DiscoveryError]; a configuration that leads nowhere is a
// [ConfigError]; what makes no sense is an [IllegalError]; anything else is what
// net/http returned. A [RequestError] around them says what was being done, and
// often what to do now; apierrors.IsNotFound and its like see through it.
// [Explain] makes one sentence of any of them.
package kube
