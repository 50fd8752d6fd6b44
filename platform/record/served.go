package record

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// errTypeReplaced is in the chain of an error of servedType.
var errTypeReplaced = errors.New("the server serves the type in another version")

// servedType is a source of a type in one version. A kube.Source finds the type again after
// the server did not serve it for a while, and may then find another version. The bodies that
// a projection writes name the version, so the source ends, and the target begins again.
type servedType struct {
	*kube.Source
	apiVersion, kind string
}

// List implements reflector.Source.
//
// Errors: those of the source; errTypeReplaced with reflector.ErrSourceEnded.
func (s servedType) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return s.opened(s.Source.List(ctx, opts))
}

// Watch implements reflector.Source.
//
// Errors: those of the source; errTypeReplaced with reflector.ErrSourceEnded.
func (s servedType) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return s.opened(s.Source.Watch(ctx, opts))
}

func (s servedType) opened(stream wire.Stream, err error) (wire.Stream, error) {
	if err != nil || stream.APIVersion == s.apiVersion && stream.Kind == s.kind {
		return stream, err
	}
	_ = stream.Body.Close() // nothing was read
	return wire.Stream{}, fmt.Errorf("%w: %s %s instead of %s %s: %w", errTypeReplaced, stream.APIVersion, stream.Kind, s.apiVersion, s.kind, reflector.ErrSourceEnded)
}
