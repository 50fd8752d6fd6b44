package kube

import (
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConfigError says why there is no way to a cluster.
type ConfigError struct {
	// Problem is what is missing or wrong, and Remedy what to do about it.
	Problem string
	Remedy  string
	// Err is the cause, if there is one.
	Err error
}

// Error implements error.
func (e *ConfigError) Error() string {
	text := e.Problem
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// UnknownResourceError says that a server does not serve a type. It is also an
// apierrors.APIStatus with reason NotFound.
type UnknownResourceError struct {
	Host string
	// Name is what was asked for.
	Name string
	// Near are names that resemble it, the nearest first.
	Near []string
}

// Error implements error.
func (e *UnknownResourceError) Error() string {
	text := fmt.Sprintf("the server at %s has no resource type %q", e.Host, e.Name)
	if len(e.Near) > 0 {
		text += "; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	return text
}

// Status implements apierrors.APIStatus.
func (e *UnknownResourceError) Status() metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotFound,
		Reason: metav1.StatusReasonNotFound, Message: e.Error(),
	}
}
