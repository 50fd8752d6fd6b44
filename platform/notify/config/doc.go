// Package config reads the file that names people, channels and rules.
//
// # Data flow
//
//	YAML file, files and variables with secrets -> Load -> Config, again after each change: Watch
//	targets of a rule, owners of a job -> Config.Receivers -> channels with addresses
//	Channel.Open -> a channel of platform/notify/channel/*, with its secrets
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
//   - All mistakes of a file are reported at once, each with its line: unknown fields,
//     undefined names, impossible conditions, settings that a channel refuses.
//   - A secret is in a separate file or a variable. No error, log or output shows it, even
//     if it is in the wrong place of the file.
//   - A file with mistakes never replaces a file without mistakes.
//   - A job can name people, and channels that allow it, but no addresses.
//
// # Limits
//
// A file has at most 1 MiB and 2,000 rules, a secret at most 64 KiB. Names have at most 63
// bytes, addresses 254. A job names at most ten owners. A change is noticed within four
// seconds.
//
// # Errors
//
// Load and Parse return all mistakes, joined. Errors about a file of secrets or
// certificates name that file.
package config
