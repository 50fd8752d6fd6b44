// Package vedette is the root of a module with a Kubernetes informer, and of what programs
// build on it: controllers, a recorder of every state in a SQL database, notifications, and a
// portal for jobs. It has no code of its own.
//
// # Follow objects
//
//   - [github.com/vedette-io/vedette/informer]: keeps a copy of the objects of a type, with
//     indexes, handlers and views of several types at one instant. Begin here.
//   - [github.com/vedette-io/vedette/kube]: connects to a cluster; reads and writes objects.
//   - [github.com/vedette-io/vedette/job]: everything about a job, such as its state in one word;
//     [github.com/vedette-io/vedette/platform/rules] reads states from a file of expressions.
//   - [github.com/vedette-io/vedette/metrics]: informers, queues and controllers as Prometheus
//     metrics.
//
// # Write a controller
//
//   - [github.com/vedette-io/vedette/controller]: calls a function for each key that changed,
//     or hands out every state.
//   - [github.com/vedette-io/vedette/manager]: the main function of a program: start, stop,
//     leader election, probes, metrics.
//   - [github.com/vedette-io/vedette/events]: Events about objects.
//   - [github.com/vedette-io/vedette/webhook]: admission and conversion webhooks.
//   - [github.com/vedette-io/vedette/workqueue]: the queue of a controller, for other items.
//   - [github.com/vedette-io/vedette/apitest]: an API server in the process, for tests.
//
// `vedette new controller` writes a module to begin with.
//
// # Change one line of a program that uses client-go
//
//   - [github.com/vedette-io/vedette/compat/clientgo]: the engine behind client-go's
//     interfaces, with [github.com/vedette-io/vedette/compat/clientgo/informers],
//     [github.com/vedette-io/vedette/compat/clientgo/tools/cache],
//     [github.com/vedette-io/vedette/compat/clientgo/dynamic/dynamicinformer],
//     [github.com/vedette-io/vedette/compat/clientgo/metadata/metadatainformer] and
//     [github.com/vedette-io/vedette/compat/clientgo/util/workqueue] under client-go's names.
//   - github.com/vedette-io/vedette/compat/controllerruntime, a module of its own: a cache for
//     controller-runtime.
//
// # Record every state
//
//   - [github.com/vedette-io/vedette/platform/record]: writes every revision and every transition.
//   - [github.com/vedette-io/vedette/platform/history]: reads them.
//   - [github.com/vedette-io/vedette/platform/feed]: transitions in the order of their commits,
//     with named cursors.
//   - [github.com/vedette-io/vedette/platform/retention]: removes old history.
//   - [github.com/vedette-io/vedette/platform/logs/joblog]: kept logs of containers.
//   - [github.com/vedette-io/vedette/platform/sqldb]: SQLite, PostgreSQL, MySQL and MariaDB.
//   - [github.com/vedette-io/vedette/platform/send/stream]: sends them to NATS JetStream or Kafka.
//
// # Submit jobs, and tell people about them
//
//   - [github.com/vedette-io/vedette/platform/submit]: submits, cancels and repeats jobs, with
//     [github.com/vedette-io/vedette/platform/submit/manifest],
//     [github.com/vedette-io/vedette/platform/submit/template] and
//     [github.com/vedette-io/vedette/platform/logs].
//   - [github.com/vedette-io/vedette/platform/notify]: sends messages, by the rules of
//     [github.com/vedette-io/vedette/platform/notify/rule] in a file of
//     [github.com/vedette-io/vedette/platform/notify/config].
//   - [github.com/vedette-io/vedette/platform/portal/client]: a client of the portal's API.
//
// # Below the informer
//
//   - [github.com/vedette-io/vedette/store]: packed records, indexes and snapshots.
//   - [github.com/vedette-io/vedette/reflector]: the protocol of list and watch.
//   - [github.com/vedette-io/vedette/delta]: the queue between the two.
//   - [github.com/vedette-io/vedette/wire]: bytes of lists and watches, and keys of objects.
//   - [github.com/vedette-io/vedette/errcode]: the error type that the packages share.
//
// These packages are the API; docs/versions.md says what stays stable. The other packages are
// parts of the program. docs/cookbook.md has recipes.
package vedette
