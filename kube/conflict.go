package kube

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/wire"
)

// conflict returns the answer of a server to a write of an old version.
func conflict(r Resource, key wire.Key) error {
	return apierrors.NewConflict(schema.GroupResource{Group: r.Group, Resource: r.Name}, key.Name,
		errors.New("the object has been modified; please apply your changes to the latest version and try again"))
}
