// Package errcode defines the error type that the packages of this module share: a code
// for programs, and a problem and a remedy for people.
//
//	if errcode.Is(err, errcode.Invalid) { ... } // the request can never succeed
//	fmt.Println(err)                            // the label selector "a=(b" is not valid; …
//	log.Error("cannot connect", "err", err, "remedy", errcode.RemedyOf(err))
//
// Types such as kube.RequestError carry details. They are wrapped in an [Error], and
// errors.As finds them.
//
// # Data flow
//
//	a package -> Error -> the caller: Is and Of for programs, RemedyOf for logs and terminals
//
// # Ownership
//
// An Error belongs to the package that returns it and never changes. The package imports
// nothing, so every package may use it.
//
// # Guarantees
//
// The text has the problem and then the remedy. A code never changes its meaning.
//
// # Limits
//
// Codes are few. They follow the reasons of the Kubernetes API where one fits.
//
// # Errors
//
// No function fails.
package errcode
