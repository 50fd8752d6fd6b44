// Package channeltest is the suite that every channel must pass. Its servers behave as the
// documentation of Feishu, DingTalk, WeCom, Slack and Teams describes.
//
// # Data flow
//
//	samples and composed messages -> channel under test -> Server -> payloads, markup found in them
//
// Test runs the suite for any channel, also in other modules. A Subject has the channel,
// the messages that its receiver got, and a function that makes the receiver fail. The
// suite uses the servers, and so do tests of everything that sends messages.
//
// # Ownership
//
// A Server and its goroutines end with the test that started it. The messages of Samples
// and Composed belong to the caller.
//
// # Guarantees
//
//  1. A server accepts only requests that the vendor's documentation allows: signatures,
//     times, sizes, fields, colors and rates. It answers with the vendor's codes.
//  2. The finders of markup have false positives, but no false negatives.
//  3. Samples always return the same content, independent of the words of package message.
//
// # Limits
//
// The servers follow the vendors' documentation, not their undocumented behavior. Advance
// moves the clock of rates; Skew moves the clock of signatures.
//
// # Errors
//
// Failures of a channel are failures of the test. Only Composed returns errors: those of
// package message.
package channeltest
