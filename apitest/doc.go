// Package apitest is a Kubernetes API server inside the process, for tests of whatever talks to one: it speaks real
// HTTP, with the encodings, resource versions and failures of a real server, over in-memory pipes or TCP.
//
//	srv, err := apitest.New(apitest.Config{})
//	defer srv.Close()
//	client, err := kubernetes.NewForConfig(srv.RESTConfig())
//
// It serves every built-in type of client-go's scheme, each in its most stable version, and the custom resources that
// are registered, before or while it runs. Clients can get, list (paged, exact, not older than), watch (resumed, with
// bookmarks, as a streaming list), create, update, patch, delete, delete collections, and use the status subresource,
// and the scale of built-in workloads; in JSON and, save for custom objects, in protobuf; whole or as
// PartialObjectMetadata. Discovery works, so RESTMapper does. Pods have the logs that WriteLog gives them.
//
// Inject makes things go wrong at a chosen point; Requests tells what clients asked for; Create, Modify and their kin
// play the rest of a cluster without HTTP.
//
// # Data flow
//
// A request is understood, logged, let in or not, given to a fault if one is due, and handed to its verb. A write
// makes a new immutable revision, puts it into the rows of its type, and its event into the window of its type. Lists
// read a copy of the rows that shares what did not change; an older version is that copy with the later events undone.
// A watch is a cursor into the window, read by the goroutine of its request. Objects are kept as bytes, protobuf or
// JSON, and each further encoding of a revision is made once, when somebody wants it.
//
// # Ownership
//
// All methods may be called from any goroutine. New starts none; RESTConfig, Dial and Listen start one for each way in,
// net/http one for each connection, and Close joins them all. Objects handed in are only read during the call; objects
// handed out are the caller's own. The server works inside testing/synctest if New is called there, and the connections
// come over RESTConfig or Dial; call Close before the bubble ends, which ends the idle connections of clients too.
//
// # Guarantees
//
// One counter gives the resource versions of all types, one for each write, as etcd does: they never repeat or go back.
// A list shows one instant; all pages of a list show that of the first. A watch gets every event after its version,
// in order, or is told that it cannot (410); a bookmark says that everything up to its version was sent. Bytes are as a
// real server frames them: the protobuf envelope, watch frames behind their length, the order of members of a list in
// JSON. A write that changes nothing is none. Writers never wait for readers.
//
// # Limits
//
// Each type remembers Config.Window events (1,000); a watch that falls behind them is ended with 410. A watch holds up to
// 128 events outside the window, and one frame. Request bodies are read up to 3 MiB. Requests remembers 10,000 requests.
// The log of a container is rotated above 10 MiB, as on a node. At most 1,000 faults are armed. A change that other
// writers interrupt a hundred times is a conflict.
//
// What a real server does and this does not: server-side apply (415), tables (406, or the next clause of Accept), CBOR,
// compressed answers, OpenAPI and HTTP/2; conversion between versions of a type; defaults, schemas, admission,
// quotas, and validation of more than metadata, save what Config.Admit does; subresources other than status, the log of pods, and scale of built-in types; garbage
// collection and grace periods (the propagation policy is accepted and ignored, objects with finalizers wait for them).
// A version that is yet to come is refused at once, not after three seconds. Two API groups never share objects: the events of the core group and of
// events.k8s.io are different ones. Of the status, a new object's is dropped as on a real server, but a Pod begins
// as Pending, and a Namespace as Active.
//
// # Errors
//
// Clients get a metav1.Status with the code, reason and details of a real server. Methods return the same as errors of
// k8s.io/apimachinery/pkg/api/errors, and ErrConfig, ErrType, ErrUnknownType, ErrFault and ErrClosed for what no client
// could do.
package apitest
