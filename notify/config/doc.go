// Package config reads the file that names people, channels and rules.
//
// # Data flow
//
//	YAML file, files and variables with secrets -> Load -> Config, again after each change: Watch
//	targets of a rule, owners of a job -> Config.Receivers -> channels with addresses
//	Channel.Open -> a channel of notify/channel/*, with its secrets
//
// docs/notifications.md describes the file, and examples/record/notify.yaml has every
// field.
//
// # Ownership
//
// A Config never changes. Any number of goroutines may use it. The caller closes the
// channels that it opens.
//
// # Guarantees
//
//   - All mistakes of a file are told at once, each with its line: unknown fields, names
//     that nothing has, impossible conditions, settings that a channel refuses.
//   - A secret stands in a file or a variable. No error, log or output shows it, also if it
//     stands in the wrong place of the file.
//   - A file with mistakes never replaces one without.
//   - A job names people, and channels that allow it. It names no addresses.
//
// # Limits
//
// A file has at most 1 MiB and 2,000 rules, a secret at most 64 KiB. Names have at most 63
// bytes, addresses 254. A job names at most ten owners. A change is noticed within four
// seconds.
//
// # Errors
//
// Load and Parse return all mistakes, joined. An error about a file of its own names the
// file.
package config
