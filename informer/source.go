package informer

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// resolvingSource is a kube.Collection that finds out when it is first used,
// and again after the type was gone, what it is a collection of. So a server
// that is away, or a type that does not exist, is a fault like any other: it
// shows in Health, and is overcome when it ends.
type resolvingSource struct {
	cluster   *kube.Cluster
	resource  string
	selection kube.Selection

	mu   sync.Mutex
	coll *kube.Collection
}

func (s *resolvingSource) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return s.open(ctx, func(c *kube.Collection) (wire.Stream, error) { return c.List(ctx, opts) })
}

func (s *resolvingSource) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return s.open(ctx, func(c *kube.Collection) (wire.Stream, error) { return c.Watch(ctx, opts) })
}

func (s *resolvingSource) open(ctx context.Context, ask func(*kube.Collection) (wire.Stream, error)) (wire.Stream, error) {
	coll, err := s.collection(ctx)
	if err != nil {
		return wire.Stream{}, err
	}
	stream, err := ask(coll)
	if apierrors.IsNotFound(err) {
		s.set(nil) // the type may come back as another version
		s.cluster.Forget()
	}
	return stream, err
}

func (s *resolvingSource) collection(ctx context.Context) (*kube.Collection, error) {
	s.mu.Lock()
	coll := s.coll
	s.mu.Unlock()
	if coll != nil {
		return coll, nil
	}
	res, err := s.cluster.Resolve(ctx, s.resource)
	if err != nil {
		return nil, err
	}
	coll, err = s.cluster.Collection(res, s.selection)
	if err == nil {
		s.set(coll)
	}
	return coll, err
}

func (s *resolvingSource) set(c *kube.Collection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coll = c
}
