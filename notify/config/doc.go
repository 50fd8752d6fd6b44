// Package config reads the file that names people, channels and rules.
//
// # Data flow
//
//	YAML file, files and variables with secrets -> Config
//	targets of a rule, owners of a job -> Config.Receivers -> channels with addresses
//
// # Ownership
//
// A Config never changes. Any number of goroutines may use it.
//
// # Guarantees
//
// To be written with the parser.
//
// # Limits
//
// To be written with the parser.
//
// # Errors
//
// To be written with the parser.
package config
