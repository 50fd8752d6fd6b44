// Package hostile is an API server that misbehaves, by chance and with a seed, until it is told to
// behave. Its test runs informers against thousands of such servers, in fake time, and checks what must
// hold whatever a server does.
//
// # Servers
//
// A Server knows the true objects of two types: pods, and a custom resource. It serves them over
// in-memory connections, in JSON, protobuf and CBOR, whole or as metadata, as paged and as streaming
// lists. Each seed makes a server of a different character: which of the misdeeds it commits, how
// often, for how long in a row, and whether it lies. An honest server refuses, breaks, delays and adds
// what no client can use; what it says about an object is true. A liar also invents, leaves out and
// alters objects and versions. No client can see through every lie, so a liar forgets its history when
// it begins to behave, and gives every object a new version: from there on each client has what it
// needs to find the truth.
//
// # Invariants
//
// See the test: no panic, no hot loop, no silent stall, bounded buffers, sound sequences of events, and,
// once the server behaves, the true objects within ten minutes.
package hostile
