// Package hostile is an API server that misbehaves at random, from a seed, until Behave.
// Its test runs informers against thousands of such servers, in fake time, and checks the
// invariants that must hold regardless of the server.
//
// # Servers
//
// A Server has the true objects of two types: pods, and a custom resource. It serves them
// over in-memory connections, in JSON, protobuf and CBOR, in full or as metadata, as
// paged and as streaming lists. Each seed gives a server a different nature: which
// misdeeds it commits, how often, for how many requests in a row, and whether it sends
// false data. An honest server refuses, breaks, delays, and adds data that no client can
// use; its objects are true. A lying server also invents, omits and alters objects and
// versions. No client can detect every such lie, so the server drops its history when it
// begins to behave, and gives every object a new version: from then on each client can
// get the truth.
//
// # Lasting failures
//
// After Break, some means (watches, streaming lists, lists, the identity of the cluster) fail in
// one way until Behave, and all other requests are answered correctly.
//
// # Invariants
//
// See the test: no panic, no hot loop, no stall without a report, bounded buffers, valid
// sequences of events, and, once the server behaves, the true objects within ten minutes.
// While some way to list works, each change is shown within ten minutes, with few requests.
package hostile
