// Package apitest is a Kubernetes API server inside the process, for tests of clients and controllers: it speaks real
// HTTP, with the encodings, resource versions and failures of a real server, over in-memory pipes or TCP.
//
//	srv, err := apitest.New(apitest.Config{})
//	defer srv.Close()
//	client, err := kubernetes.NewForConfig(srv.RESTConfig())
//
// It serves every built-in type of client-go's scheme, each in its most stable version, and the custom resources that
// are registered, before or while it runs. Clients can get, list (paged, exact, not older than), watch (resumed, with
// bookmarks, as a streaming list), create, update, patch, apply, delete, delete collections, and use the status subresource,
// and the scale of built-in workloads; in JSON and, except for custom objects, in protobuf; whole or as
// PartialObjectMetadata. Discovery works, and thus RESTMapper. Pods have the logs that WriteLog writes.
//
// Inject causes faults at a chosen point; Requests returns the requests of clients; Create, Modify and similar methods
// play the rest of a cluster without HTTP.
//
// # Data flow
//
// A request is parsed, logged, authenticated and authorized; then a fault is applied if one is due, and the handler of
// its verb is called. A write creates a new immutable revision, puts it into the rows of its type, and its event into
// the window of its type. Lists read a copy of the rows that shares unchanged nodes; an older version is that copy with
// the later events undone. A watch is a cursor into the window, read by the goroutine of its request. Objects are
// stored as bytes, protobuf or JSON, and each further encoding of a revision is made once, at its first use.
//
// # Ownership
//
// All methods may be called from any goroutine. New starts none; RESTConfig, Dial and Listen start one for each
// listener, net/http one for each connection, and Close waits for all of them. Arguments are only read during the call;
// callers may change returned objects. The server works inside testing/synctest if New is called there and clients use
// RESTConfig or Dial. Call Close before the bubble ends; it also ends the idle connections of clients.
//
// # Guarantees
//
// One counter gives the resource versions of all types, one for each write, as etcd does: they never repeat or go back.
// A list shows one instant; all pages of a list show the instant of the first. A watch gets every event after its
// version, in order, or the error 410; a bookmark means that everything up to its version was sent. Bytes are framed
// as by a real server: the protobuf envelope, watch frames after their length, the order of members of a list in
// JSON. A write that changes nothing creates no version. Writers never wait for readers.
//
// # Limits
//
// Each type keeps Config.Window events (1,000); a watch that falls behind them ends with 410. A watch holds up to
// 128 events outside the window, and one frame. Request bodies are read up to 3 MiB. Requests returns up to 10,000 requests.
// The log of a container is rotated above 10 MiB, as on a node. At most 1,000 faults can be armed. A change that
// other writers interrupt a hundred times is a conflict.
//
// Server-side apply merges lists of built-in types by their keys; the lists of custom objects are atomic, because the
// server has no schemas of them. Only objects that were applied have managed fields, unless Config.Ownership is
// OwnershipAlways.
//
// Tables, which kubectl prints, have a name and an age, and for pods the state of their containers. The documents of
// OpenAPI have paths and no schemas. HTTP/2 needs ListenTLS; a fault that cuts a connection then ends all of its
// requests.
//
// With Config.CBOR, custom objects are served and accepted as CBOR.
//
// Types of ReadDefinitions have the structural schema of their CustomResourceDefinition: defaults, pruning with warnings,
// and validation, except the rules in x-kubernetes-validations.
//
// With Config.GarbageCollection, objects go with their last owner.
//
// These features of a real server are missing: built-in objects as CBOR; compressed responses; conversion between
// versions of a type; admission and quotas, and for types without a definition defaults and validation of more than
// metadata, except by Config.Admit; subresources other than status, the log of pods, and scale of built-in types, and
// server-side apply of a scale; grace periods, which are accepted and ignored.
//
// A list of a version that does not exist yet is rejected at once, not after three seconds; a watch from such a version
// is silent until the server gets there, as on a real server. Two API groups never share objects:
// the events of the core group and those of events.k8s.io are different objects. The status of a new object is dropped
// as on a real server, but a Pod begins as Pending, and a Namespace as Active.
//
// # Errors
//
// Clients get a metav1.Status with the code, reason and details of a real server. Methods return the same errors of
// k8s.io/apimachinery/pkg/api/errors, and ErrConfig, ErrType, ErrUnknownType, ErrFault and ErrClosed for calls that no
// client can make.
package apitest
