// Package hostile is an API server that misbehaves at random, from a seed, until it is
// told to behave. Its test runs informers against thousands of such servers, in fake
// time, and checks the invariants that must hold whatever a server does.
//
// # Servers
//
// A Server knows the true objects of two types: pods, and a custom resource. It serves
// them over in-memory connections, in JSON, protobuf and CBOR, in full or as metadata,
// as paged and as streaming lists. Each seed gives a server a different character:
// which misdeeds it commits, how often, for how many requests in a row, and whether it
// lies. An honest server refuses, breaks, delays, and adds data that no client can use;
// what it says about an object is true. A liar also invents, omits and alters objects
// and versions. No client can detect every lie, so a liar forgets its history when it
// begins to behave, and gives every object a new version: from then on each client has
// what it needs to find the truth.
//
// # Invariants
//
// See the test: no panic, no hot loop, no silent stall, bounded buffers, valid
// sequences of events, and, once the server behaves, the true objects within ten
// minutes.
package hostile
