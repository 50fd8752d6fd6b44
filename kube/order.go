package kube

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/vedette-io/vedette/wire"
)

// orderCache records which server serves each group and version that is not built in. The
// zero value is ready to use.
type orderCache struct {
	mu    sync.Mutex
	known map[schema.GroupVersion]*servedBy
}

// servedBy records which server serves a group and version.
type servedBy struct {
	asking  chan struct{} // holds one token while a goroutine asks
	asked   bool          // the answer is final
	ordered bool
	known   bool
}

// orderTimeout bounds the request that finds out which server serves a type.
const orderTimeout = 5 * time.Second

// Ordered reports whether the server orders the resourceVersions of the collection, and
// whether that is known. An API server orders the resourceVersions of built-in types
// and custom resources, which it serves itself. For a server behind it (APIService) the
// order is generally unknown. So for a type that is not built in, Ordered reads the
// APIService once per cluster; without the right to read it, the order is unknown.
// Ordered makes a Collection a reflector.Orderer.
func (c *Collection) Ordered(ctx context.Context) (ordered, known bool) {
	r := c.resource
	if r.Group == "" || scheme.Scheme.IsGroupRegistered(r.Group) {
		return true, true
	}
	return c.cluster.orders.lookup(ctx, c.cluster, schema.GroupVersion{Group: r.Group, Version: r.Version})
}

// Ordered is Collection.Ordered. While the type is unknown, the order is unknown.
func (s *Source) Ordered(ctx context.Context) (ordered, known bool) {
	s.mu.Lock()
	coll := s.coll
	s.mu.Unlock()
	if coll == nil {
		return false, false
	}
	return coll.Ordered(ctx)
}

// lookup returns the stored answer, or asks the server if there is none.
func (o *orderCache) lookup(ctx context.Context, c *Cluster, gv schema.GroupVersion) (ordered, known bool) {
	o.mu.Lock()
	if o.known == nil {
		o.known = map[schema.GroupVersion]*servedBy{}
	}
	by := o.known[gv]
	if by == nil {
		by = &servedBy{asking: make(chan struct{}, 1)}
		o.known[gv] = by
	}
	o.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, orderTimeout)
	defer cancel()
	select {
	case by.asking <- struct{}{}:
	case <-ctx.Done():
		return false, false
	}
	defer func() { <-by.asking }()
	if by.asked {
		return by.ordered, by.known
	}
	aggregated, err := c.aggregated(ctx, gv)
	switch {
	case err == nil:
		by.asked, by.known, by.ordered = true, true, !aggregated
	case apierrors.IsNotFound(err) || apierrors.IsForbidden(err):
		by.asked = true
	}
	return by.ordered, by.known
}

// aggregated reports whether an aggregated server, behind the API server, serves a
// group and version.
func (c *Cluster) aggregated(ctx context.Context, gv schema.GroupVersion) (bool, error) {
	body, err := c.Do(ctx, Request{Path: "/apis/apiregistration.k8s.io/v1/apiservices/" + gv.Version + "." + gv.Group, Accept: wire.MediaTypeJSON})
	if err != nil {
		return false, err
	}
	defer body.Close()
	var service struct {
		Spec struct {
			Service *struct{} `json:"service"`
		} `json:"spec"`
	}
	err = json.NewDecoder(io.LimitReader(body, wire.DefaultMaxRecord)).Decode(&service)
	return service.Spec.Service != nil, err
}
