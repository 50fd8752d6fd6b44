package kube

import (
	"context"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// Source is a Collection that resolves its type when it is first used, and again after
// the type has disappeared. So an unreachable server, or a type that does not exist yet,
// is an ordinary fault: the health of the reader of the source shows it until it ends.
// Any number of goroutines may use a Source.
type Source struct {
	cluster   *Cluster
	target    Target
	selection Selection

	mu      sync.Mutex
	coll    *Collection
	failing bool // the last request failed for a reason that may affect other sources
}

// Source returns the source of a type. It sends no request.
func (c *Cluster) Source(t Target, sel Selection) *Source {
	return &Source{cluster: c, target: t, selection: sel}
}

// Cluster returns the cluster of the source.
func (s *Source) Cluster() *Cluster { return s.cluster }

// Resource returns the type. It returns false while the type is unknown.
func (s *Source) Resource() (Resource, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coll == nil {
		return Resource{}, false
	}
	return s.coll.Resource(), true
}

// String returns the type and the address of the server, to name the source in errors.
func (s *Source) String() string {
	name := strings.TrimSuffix(s.target.String(), ".") // a built-in type: "Pod.v1."
	if r, known := s.Resource(); known {
		name = r.String()
	}
	return name + " at " + s.cluster.Host()
}

// List is Collection.List.
//
// Errors: those of Cluster.Resolve; errcode.Invalid if the type on the server does not
// match the target; those of Cluster.Collection, and of Collection.List.
func (s *Source) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return s.open(ctx, func(c *Collection) (wire.Stream, error) { return c.List(ctx, opts) })
}

// Watch is Collection.Watch.
//
// Errors: those of Cluster.Resolve; errcode.Invalid if the type on the server does not
// match the target; those of Cluster.Collection, and of Collection.Watch.
func (s *Source) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return s.open(ctx, func(c *Collection) (wire.Stream, error) { return c.Watch(ctx, opts) })
}

func (s *Source) open(ctx context.Context, ask func(*Collection) (wire.Stream, error)) (stream wire.Stream, err error) {
	defer func() { s.recordOutcome(err) }()
	coll, err := s.collection(ctx)
	if err != nil {
		return wire.Stream{}, err
	}
	stream, err = ask(coll)
	if apierrors.IsNotFound(err) {
		s.setCollection(nil) // the type may come back as another version
		s.cluster.discovery.forget(coll.Resource())
	}
	return stream, err
}

func (s *Source) collection(ctx context.Context) (*Collection, error) {
	s.mu.Lock()
	coll := s.coll
	s.mu.Unlock()
	if coll != nil {
		return coll, nil
	}
	res, err := s.cluster.resolve(ctx, s.target, minRefreshInterval)
	if err != nil {
		return nil, err
	}
	coll, err = s.cluster.Collection(res, s.selection)
	if err != nil { // discovery may have described the type wrongly
		s.cluster.discovery.forget(res)
		return nil, err
	}
	s.setCollection(coll)
	return coll, nil
}

func (s *Source) setCollection(c *Collection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coll = c
}
