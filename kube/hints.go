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

// requestError adds the operation and the remedy to an error. An error that has them
// already is returned unchanged.
func (e *endpoint) requestError(verb string, r Resource, key wire.Key, err error) error {
	if already := (*RequestError)(nil); errors.As(err, &already) {
		return err
	}
	return &RequestError{
		Host: e.cluster.Host(), Verb: verb, Resource: cmp.Or(r.String(), e.target.String()), Key: key,
		Err: err, Remedy: remedyFor(err, verb, r),
	}
}

// remedyFor returns what to do about an answer, or "" if there is no general remedy.
func remedyFor(err error, verb string, r Resource) string {
	var refused apierrors.APIStatus
	if unknown := (*UnknownResourceError)(nil); errors.As(err, &unknown) || !errors.As(err, &refused) {
		return ""
	}
	verb, sub, _ := strings.Cut(strings.TrimSuffix(verb, " of"), " ")
	status := refused.Status()
	switch {
	case apierrors.IsConflict(err) && verb == "apply":
		return "leave these fields to their owners, or force the conflicts with kube.ForceConflicts"
	case apierrors.IsConflict(err) && verb == "delete":
		return "the object was replaced or changed: read it again"
	case apierrors.IsConflict(err):
		return "the object has changed since it was read: read it again, or use Mutate"
	case apierrors.IsAlreadyExists(err):
		return "choose another name, or read the existing object and update it"
	case apierrors.IsForbidden(err):
		if verb == "apply" {
			verb = "patch"
		}
		return fmt.Sprintf("request the permission to %s %s", verb, strings.TrimSuffix(r.Name+"/"+sub, "/"))
	case apierrors.IsNotFound(err) && !concernsObject(err) && sub != "":
		return fmt.Sprintf("either the object does not exist, or the type has no subresource %s", sub)
	case apierrors.IsNotFound(err) && !concernsObject(err):
		return "the server no longer serves this type or this version: retry to rediscover it"
	case status.Code == http.StatusUnsupportedMediaType && verb == "patch":
		return "custom resources do not support strategic merge patches: use a JSON patch, a merge patch or Apply"
	}
	return ""
}
