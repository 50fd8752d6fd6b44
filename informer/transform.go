package informer

import (
	"encoding/json"
	"fmt"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Transform returns a function for Config.Transform that decodes each arriving object once,
// calls change, and stores the object that change leaves.
func Transform[T any](change func(*T) error) func(wire.Record) (wire.Record, error) {
	return func(rec wire.Record) (wire.Record, error) {
		obj, err := wire.Codec[T]{}.Decode(rec)
		if err != nil {
			return rec, err
		}
		if err := change(obj); err != nil {
			return rec, fmt.Errorf("transform %s: %w", rec.Key, err)
		}
		return Encode(rec, obj)
	}
}

// Encode returns rec with obj as its body. The encoding is protobuf if rec has a protobuf
// body and obj has a method Marshal, and JSON otherwise. Key, UID and version stay.
//
// Errors: those of the encoder.
func Encode(rec wire.Record, obj any) (wire.Record, error) {
	var err error
	if m, ok := obj.(interface{ Marshal() ([]byte, error) }); ok && rec.Encoding == wire.Protobuf {
		rec.Body, err = m.Marshal()
	} else {
		rec.Encoding = wire.JSON
		rec.Body, err = json.Marshal(obj)
	}
	if err != nil {
		return rec, fmt.Errorf("encode %s: %w", rec.Key, err)
	}
	return rec, nil
}

// Project returns an informer that fetches objects of type T and keeps only the S that
// the function returns for each. It stores the S as JSON, so the collection needs memory
// for these fields only. Keys, UIDs and versions are those of the object.
// If the function returns nil, the informer keeps an empty S. With WarmStart.Path,
// Config.TransformVersion must identify the version of the function, and of
// Config.Transform if that is set.
//
// Errors: a nil cluster; an invalid configuration.
func Project[S, T any](cluster *kube.Cluster, cfg Config, project func(*T) *S) (*Informer[S], error) {
	inner := cfg.Transform
	cfg.Transform = func(rec wire.Record) (wire.Record, error) {
		if inner != nil {
			var err error
			if rec, err = inner(rec); err != nil {
				return rec, err
			}
		}
		obj, err := wire.Codec[T]{}.Decode(rec)
		if err != nil {
			return rec, err
		}
		small := project(obj)
		if small == nil {
			small = new(S)
		}
		rec.Encoding = wire.JSON
		rec.Body, err = json.Marshal(small)
		return rec, err
	}
	sel, err := selectionOf[T](&cfg)
	if err != nil {
		return nil, err
	}
	sel.projection = layoutOf[S]()
	return follow[S](cluster, cfg, sel, nil)
}
