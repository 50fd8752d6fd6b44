package errcode

// Code classifies an error. The codes of answers of an API server have the names of the
// reasons in package k8s.io/apimachinery/pkg/apis/meta/v1.
type Code uint8

const (
	// Unknown is the code of every other error.
	Unknown Code = iota
	// Invalid means that an argument, a configuration or an object is not valid. If the API
	// server did not report the error itself, nothing was sent to it.
	Invalid
	// Misconfigured means that the configuration of a connection, such as a kubeconfig, cannot be
	// used.
	Misconfigured
	// FailedPrecondition means that the method cannot be called in this state, such as Run after
	// Run.
	FailedPrecondition
	// Unauthorized means that the server does not accept the credentials.
	Unauthorized
	// Forbidden means that the user lacks a permission.
	Forbidden
	// NotFound means that the object, or its type, does not exist.
	NotFound
	// AlreadyExists means that an object of this name exists.
	AlreadyExists
	// Conflict means that the object is not in the expected state, usually because another client
	// has changed it.
	Conflict
	// Expired means that the server no longer has the requested version.
	Expired
	// TooManyRequests means that the server refuses requests because of its load.
	TooManyRequests
	// Timeout means that the deadline passed before the operation ended.
	Timeout
	// Unavailable means that the server cannot be reached, or cannot serve the request now.
	Unavailable
)

var names = [...]string{
	"unknown", "invalid", "misconfigured", "failed precondition", "unauthorized", "forbidden", "not found",
	"already exists", "conflict", "expired", "too many requests", "timeout", "unavailable",
}

// String returns the code in lowercase.
func (c Code) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return names[Unknown]
}
