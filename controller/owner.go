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

// Owner says whose keys the objects of a source lead to.
type Owner struct {
	// Group and Kind of the owners: "apps" and "Deployment". Versions do not count.
	Group, Kind string
	// References: those of controllers.
	References References
	// Lives: in the namespace of what it owns.
	Namespace OwnerNamespace
}

// References says which owners count.
type References uint8

const (
	// OfController: the one owner that is the controller of the object.
	ControllerOnly References = iota
	// OfAll owners.
	AllOwners
)

// Place says where owners live.
type OwnerNamespace uint8

const (
	// SameNamespace: in the namespace of what they own.
	SameNamespace OwnerNamespace = iota
	// NoNamespace: the type of the owners lives in none.
	ClusterScoped
)

// Owners is a source of the keys of those who own the objects: whatever happens to
// an object, its owner is reconciled, and when an object changes hands both are.
// References are read off the metadata; the objects are not decoded.
func Owners[T any](i *informer.Informer[T], owner Owner, cfg SourceConfig) Source {
	s := newSource(i, cfg, func(ev informer.Event[T]) ([]wire.Key, error) {
		change := ev.Change()
		keys, err := owner.keys(nil, change.Old)
		keys, err2 := owner.keys(keys, change.New)
		return keys, errors.Join(err, err2)
	})
	if f, ok := s.impl.(*typedSource[T]); ok && (owner.Kind == "" || owner.References > AllOwners || owner.Namespace > ClusterScoped) {
		f.invalid = errors.New("it needs the kind of the owners, and values of their own types for References and Lives")
	}
	return s
}

// keys appends the keys of the owners of a revision that are not there yet.
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
