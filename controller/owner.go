package controller

import (
	"errors"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Owner selects the owners whose keys a source enqueues.
type Owner struct {
	// Group and Kind of the owners, such as "apps" and "Deployment". The API version is
	// ignored.
	Group, Kind string
	// References selects which owner references count; default ControllerOnly.
	References References
	// Namespace is where the owners are; default SameNamespace.
	Namespace OwnerNamespace
}

// References selects which owner references count.
type References uint8

const (
	// ControllerOnly selects the owner that is the controller of the object.
	ControllerOnly References = iota
	// AllOwners selects all owners.
	AllOwners
)

// OwnerNamespace is the namespace in which owners are.
type OwnerNamespace uint8

const (
	// SameNamespace means that an owner is in the namespace of the object that it owns.
	SameNamespace OwnerNamespace = iota
	// ClusterScoped means that the owners' type has no namespaces.
	ClusterScoped
)

// Owners is a source of the keys of objects' owners. Any change of an object enqueues its
// owner; a change of owner enqueues both the old and the new one. Owners reads the
// references from the metadata, without decoding the whole object.
func Owners[T any](i *informer.Informer[T], owner Owner, filters ...informer.Filter) Source {
	s := newSource(i, filters, func(ev informer.Event[T]) ([]wire.Key, error) {
		change := ev.Change()
		keys, err := owner.keys(nil, change.Old)
		keys, err2 := owner.keys(keys, change.New)
		return keys, errors.Join(err, err2)
	})
	if f, ok := s.impl.(*typedSource[T]); ok && (owner.Kind == "" || owner.References > AllOwners || owner.Namespace > ClusterScoped) {
		f.invalid = errors.New("Owner.Kind is not set, or Owner.References or Owner.Namespace has an unknown value")
	}
	return s
}

// keys appends the keys of a revision's owners, without those that the slice already has.
func (o Owner) keys(to []wire.Key, e store.Entry) ([]wire.Key, error) {
	if e.IsZero() {
		return to, nil
	}
	rec := e.Record()
	meta, err := wire.Codec[metav1.PartialObjectMetadata]{}.Decode(rec)
	if err != nil {
		return to, err
	}
	for _, ref := range meta.OwnerReferences {
		group, _, found := strings.Cut(ref.APIVersion, "/")
		if !found {
			group = ""
		}
		if ref.Kind != o.Kind || group != o.Group || o.References == ControllerOnly && (ref.Controller == nil || !*ref.Controller) {
			continue
		}
		key := wire.Key{Cluster: rec.Key.Cluster, Namespace: rec.Key.Namespace, Name: ref.Name}
		if o.Namespace == ClusterScoped {
			key.Namespace = ""
		}
		if !slices.Contains(to, key) {
			to = append(to, key)
		}
	}
	return to, nil
}
