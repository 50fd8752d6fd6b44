package kube

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/wire"
)

// UnwatchableError reports that a server does not let anybody list and watch a type, such as
// component statuses or token reviews.
type UnwatchableError struct {
	Host     string
	Resource Resource // with the verbs that the server offers
}

// Error implements error.
func (e *UnwatchableError) Error() string {
	return fmt.Sprintf("%s cannot be listed and watched: the server at %s offers only the verbs %v", e.Resource, e.Host, e.Resource.Verbs)
}

// UnknownResourceError reports that a server does not serve a type. It is also an
// apierrors.APIStatus with reason NotFound.
type UnknownResourceError struct {
	Host string
	// Name is the name that was looked up.
	Name string
	// Near lists similar names, the most similar first.
	Near []string
	// Asked is when the discovery that did not find the type began. Lookups of a Source may
	// share a discovery of the last second.
	Asked time.Time
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

// DiscoveryError reports that a server answers but does not list the types that it
// serves, either at all or for some groups. It is also an apierrors.APIStatus.
type DiscoveryError struct {
	Host string
	// Name is the name that was looked up. Failing lists the versions of groups that
	// may contain it but could not be discovered; it is empty if discovery failed as a
	// whole.
	Name    string
	Failing []schema.GroupVersion
	// Err is the cause. Remedy is what to do about it, if that is known.
	Err    error
	Remedy string
}

// Error implements error.
func (e *DiscoveryError) Error() string {
	text := fmt.Sprintf("the discovery of types is failing at %s: %v", e.Host, e.Err)
	if len(e.Failing) > 0 {
		var groups []string
		for _, gv := range e.Failing {
			groups = append(groups, gv.String())
		}
		text = fmt.Sprintf("the resource type %q is not known at %s while the discovery of %s is failing: %v", e.Name, e.Host, strings.Join(groups, " and "), e.Err)
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns the cause.
func (e *DiscoveryError) Unwrap() error { return e.Err }

// Status implements apierrors.APIStatus. It returns the status of the server's refusal,
// or otherwise "service unavailable".
func (e *DiscoveryError) Status() metav1.Status {
	var refused *apierrors.StatusError
	if len(e.Failing) == 0 && errors.As(e.Err, &refused) {
		return refused.ErrStatus
	}
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusServiceUnavailable,
		Reason: metav1.StatusReasonServiceUnavailable, Message: e.Error(),
	}
}

// RequestError reports a failed request. Functions of apierrors, such as IsNotFound and
// IsConflict, unwrap it.
type RequestError struct {
	// Host is the address of the server.
	Host string
	// Verb is the operation, such as "update" or "update status of".
	Verb string
	// Resource is the name of the type in the syntax of kubectl.
	Resource string
	// Key identifies the object. It has no name for a request about a collection.
	Key wire.Key
	// Err is the cause: a refusal of the server, an errcode.Error, or an error of net/http or
	// of the context.
	Err error
	// Remedy is what to do about it, or "" if that is unknown.
	Remedy string
}

// Error implements error.
func (e *RequestError) Error() string {
	text := e.Verb + " " + e.Resource
	if e.Key != (wire.Key{}) {
		text += " " + e.Key.String()
	}
	text = fmt.Sprintf("%s at %s: %v", text, e.Host, e.Err)
	if e.Remedy != "" {
		text = strings.TrimRight(text, ".") + "; " + e.Remedy
	}
	return text
}

// Unwrap returns the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// streams reports whether the request was a list or a watch. A command line controls the
// permissions and selectors of these, so Explain has remedies for them.
func (e *RequestError) streams() bool { return e.Verb == "list" || e.Verb == "watch" }
