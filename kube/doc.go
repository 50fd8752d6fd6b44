// Package kube connects to a cluster, discovers the types that it serves, opens lists
// and watches as streams of bytes, and reads and writes objects. It is the only package
// that uses HTTP.
//
// # Data flow
//
//	Config -> Connect -> Cluster
//	Cluster.Resolve("pods") -> Resource
//	Cluster.Collection(Resource, Selection) -> Collection.List, Watch -> wire.Stream
//	TargetOf[T](TypeConfig), Named("pods") -> Target
//	Cluster.Source(Target, Selection) -> Source.List, Watch, also for a type that does not exist yet
//	For[T](Cluster, ClientConfig) -> Client[T].Get, List, Watch, Create, Update, Mutate, Patch, Apply, Delete, DeleteAll, Scale
//	Client[T].Status() -> StatusClient[T].Update, Mutate, Patch, Apply
//	MergeFrom(before, after) -> Patch
//	WithWrites(ctx, func(Written)) <- every write with ctx
//	WithWarnings(ctx, func(string)) <- every warning of the server; without it, each is logged once
//	Cluster.Do(Request) -> the body of the answer
//
// A [Client] is created for the Go struct of a built-in or custom type, for
// unstructured.Unstructured or for metav1.PartialObjectMetadata. Built-in types travel
// as protobuf if the server supports it, and all other types as JSON. The package also
// has the helper functions that every controller needs: [SetController],
// [ControllerOf], [AddFinalizer], [RemoveFinalizer], [HasFinalizer], [SetCondition],
// [FindCondition].
//
// # Ownership
//
// Any number of goroutines may use a Cluster, its Collections and its Clients. The
// caller that opened a stream owns it and must close it. Objects that a client returns
// belong to the caller; objects passed to a client are only read. The sequences of List
// and Watch run on the goroutine that ranges over them, and the functions passed to
// Mutate and WithWrites run on the caller's goroutine. The package starts no goroutines
// other than those of net/http, which end once all streams are closed and
// [Cluster.Close] was called.
//
// # Guarantees
//
// The context of a request governs all of it: the dialing, the wait for an answer, and
// every read of the body. Collections apply no client-side rate limit: a list or watch
// is one request, and the server has its own flow control (KEP-1040), whose 429 the
// reflector honors. Clients honor 429 too, and also the rate limit of the
// configuration, if it sets one.
//
// Invalid requests (an object without a name, a namespace for a cluster-scoped type, an
// update without the resourceVersion that was read) fail before anything is sent. Names
// are checked and escaped when a path is built, so no name can lead to another path. A
// client never overwrites a version that it has not seen: Update needs the
// resourceVersion that was read, and Mutate reads the object again after a conflict. A
// write of a Go struct never erases fields that the struct lacks, such as those of a newer
// definition of the type: Mutate, CreateOrUpdate and Update send the object that they read
// with the differences, and MergeFrom sends only these. Objects that are marked with
// [MarkPartial] are not updated. A
// client repeats a write only if the server has said that the write had no effect (429,
// or 415 for protobuf). A write with a context of [WithWrites] is reported, once it is
// answered, before its method returns.
//
// # Limits
//
// The package reads at most 64 KiB of an error answer, and at most 32 MiB of an object.
// A list holds one page of ClientConfig.PageSize encoded objects; a watch holds one
// object. Clients retry a busy server ten times and wait up to a minute each time;
// Mutate tries ten times on conflicts. Built-in types need no discovery. Discovery
// results for other types stay in memory, at a few hundred bytes per type, and are
// fetched again when a name is missing: for a Source at most once a second. Discovery
// fails after 10 s without an answer, and reads at most 64 MiB. At most 1,000 distinct
// warnings of a server are logged. If the answer to a write is lost, the outcome of the write
// is unknown.
//
// # Errors
//
// A refusal of the server is an *apierrors.StatusError, with the answer's Retry-After
// in its details. A type that the server does not serve is an [UnknownResourceError]; a
// type about which discovery gives no answer is a [DiscoveryError]. An unusable
// configuration has the code [errcode.Misconfigured], and an invalid request
// [errcode.Invalid]; all other errors come from net/http. A [RequestError] wraps them with
// the operation and often with a remedy; apierrors.IsNotFound and similar functions unwrap
// it. [Explain] summarizes any of them in one sentence.
package kube
