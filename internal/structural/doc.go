// Package structural applies the structural schema of a custom resource to objects, as an API
// server does: it sets defaults, removes unknown fields, and validates.
//
// The rules in x-kubernetes-validations are not evaluated; Schema.Rules reports whether
// there are any.
package structural
