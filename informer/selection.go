package informer

import (
	"fmt"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// selection identifies the objects of a type T that are fetched, and their form.
type selection struct {
	target   kube.Target
	encoding kube.Encoding
	// projection is the layout of the part that is cut out of each object; empty if
	// objects are kept whole.
	projection string
}

func selectionOf[T any](cfg *Config) (selection, error) {
	target, err := kube.TargetOf[T](kube.TypeConfig{Resource: cfg.Resource, GroupVersion: cfg.GroupVersion, Scheme: cfg.Scheme})
	if err != nil {
		return selection{}, fmt.Errorf("informer: %w", err)
	}
	s := selection{target: target}
	if !(wire.Codec[T]{}).Protobuf() {
		s.encoding = kube.PreferCBOR
	}
	return s, nil
}
