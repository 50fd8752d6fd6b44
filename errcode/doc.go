// Package errcode defines the error type that the packages of this module share: a code
// for programs, and a problem and a remedy for people.
//
//	if errcode.Is(err, errcode.Invalid) { ... } // the request can never succeed
//	fmt.Println(err)                            // the label selector "a=(b" is not valid; …
//	log.Error("cannot connect", "err", err, "remedy", errcode.RemedyOf(err))
//
// Types such as kube.RequestError carry details. They are wrapped in an [Error], and
// errors.As finds them.
package errcode
