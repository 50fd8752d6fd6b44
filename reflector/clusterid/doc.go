// Package clusterid keeps a follower of a cluster from taking the objects of one cluster
// for those of another. A cluster that is replaced behind its address may answer every
// request, and its resource versions may even let a watch resume.
//
// # Data flow
//
// Identifier -> Identity -> Guard -> reflector.Reflector. An Identity asks which cluster
// answers. A Guard is a reflector.Source that consults the Identity before it forwards a
// request. Its Policy says what happens if the cluster was replaced.
//
// # Ownership
//
// The sources of one cluster share an Identity, which any goroutine may use. A Guard
// belongs to one reflector, like the source that it wraps.
//
// # Guarantees
//
// No request to another cluster continues what the first cluster began: the reflector
// either lists from scratch (Relist) or ends (End). A question that fails does not keep a
// reflector from a server that answers its own requests: watches begin beside the question,
// and end when the answer names another cluster. Package kube joins concurrent questions,
// so one request answers all guards that wait.
//
// # Limits
//
// A connection that survives the replacement of its cluster is not noticed. No such
// connection is known: a server closes its connections when it ends.
//
// # Errors
//
// A Guard returns the errors of its source, errors that wrap reflector.ErrReplaced or
// reflector.ErrSourceEnded, and those of an Identifier that the Policy does not tolerate.
package clusterid
