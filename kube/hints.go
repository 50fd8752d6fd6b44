package kube

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/wire"
)

// requestError says what was being done, and what to do about it. An error that says
// so already stays as it is.
func (e *endpoint) requestError(verb string, r Resource, key wire.Key, err error) error {
	if already := (*RequestError)(nil); errors.As(err, &already) {
		return err
	}
	return &RequestError{
		Host: e.cluster.Host(), Verb: verb, Resource: cmp.Or(r.String(), e.target.String()), Key: key,
		Err: err, Remedy: remedyFor(err, verb, r),
	}
}

// remedyFor says what to do about an answer; "" where that depends.
func remedyFor(err error, verb string, r Resource) string {
	var refused apierrors.APIStatus
	if unknown := (*UnknownResourceError)(nil); errors.As(err, &unknown) || !errors.As(err, &refused) {
		return ""
	}
	verb, sub, _ := strings.Cut(strings.TrimSuffix(verb, " of"), " ")
	status := refused.Status()
	switch {
	case apierrors.IsConflict(err) && verb == "apply":
		return "leave these fields to their owners, or take them with kube.ForceConflicts"
	case apierrors.IsConflict(err) && verb == "delete":
		return "it is no longer the object or the version that was meant: read it again"
	case apierrors.IsConflict(err):
		return "it was written since it was read: read it again, or use Mutate"
	case apierrors.IsAlreadyExists(err):
		return "choose another name, or read what is there and update that"
	case apierrors.IsForbidden(err):
		if verb == "apply" {
			verb = "patch"
		}
		return fmt.Sprintf("ask for the right to %s %s", verb, strings.TrimSuffix(r.Name+"/"+sub, "/"))
	case apierrors.IsNotFound(err) && !concernsObject(err) && sub != "":
		return fmt.Sprintf("either the object is not there, or the type has no subresource %s", sub)
	case apierrors.IsNotFound(err) && !concernsObject(err):
		return "the server does not serve this type any more, or not in this version: ask again to find it anew"
	case status.Code == http.StatusUnsupportedMediaType && verb == "patch":
		return "custom resources take JSON patches, merge patches and Apply, but no strategic merge patches"
	}
	return ""
}
