package errcode

// Code classifies an error. The codes of answers of an API server have the names of the
// reasons in package k8s.io/apimachinery/pkg/apis/meta/v1.
type Code uint8

const (
	// Unknown is the code of every other error.
	Unknown Code = iota
	// Invalid: an argument, a configuration or an object is not valid. If the API
	// server did not say so itself, nothing was sent to it.
	Invalid
	// Misconfigured: the configuration of a connection, such as a kubeconfig, cannot be
	// used.
	Misconfigured
	// FailedPrecondition: the method cannot be called in this state, such as Run after
	// Run.
	FailedPrecondition
	// Unauthorized: the server does not accept the credentials.
	Unauthorized
	// Forbidden: the user lacks a right.
	Forbidden
	// NotFound: the object, or its type, does not exist.
	NotFound
	// AlreadyExists: an object of this name exists.
	AlreadyExists
	// Conflict: the object is not in the expected state, usually because another client
	// has changed it.
	Conflict
	// Expired: the server no longer has the requested version.
	Expired
	// TooManyRequests: the server refuses requests because of its load.
	TooManyRequests
	// Timeout: the deadline passed before the operation ended.
	Timeout
	// Unavailable: the server cannot be reached, or cannot serve the request now.
	Unavailable
)

var names = [...]string{
	"unknown", "invalid", "misconfigured", "failed precondition", "unauthorized", "forbidden", "not found",
	"already exists", "conflict", "expired", "too many requests", "timeout", "unavailable",
}

// String returns the code in lower case.
func (c Code) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return names[Unknown]
}
