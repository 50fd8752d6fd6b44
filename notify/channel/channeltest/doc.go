// Package channeltest is the suite that every channel must pass, with receivers that behave
// as Feishu, DingTalk, WeCom, Slack and Teams do by their documents.
//
// # Data flow
//
//	samples and composed messages -> channel under test -> Server -> payloads, markup found in them
//
// Test runs the suite for channels of anybody. A Subject names the channel, what its
// receiver got, and how to make the receiver fail. The servers serve the suite, and tests of
// everything that sends messages.
//
// # Ownership
//
// A Server and its goroutines end with the test that started it. The messages of Samples and
// Composed belong to the caller.
//
// # Guarantees
//
//  1. A server accepts only what the vendor's documents allow: signatures, times, sizes,
//     fields, colors and rates. It answers with the vendor's codes.
//  2. The finders of markup find too much rather than too little.
//  3. Samples return the same content always, whatever the words of package message are.
//
// # Limits
//
// The servers know the documents of the vendors, not their undocumented behavior. The clock of
// rates moves by Advance only, apart from real time; the clock of signatures by Skew.
//
// # Errors
//
// Failures of a channel are failures of the test. Nothing else returns errors, except for
// Composed, which returns those of package message.
package channeltest
