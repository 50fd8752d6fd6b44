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

// orders keeps, for groups and versions that are not built in, who serves them. The
// zero value is ready.
type orders struct {
	mu    sync.Mutex
	known map[schema.GroupVersion]*servedBy
}

// servedBy is who serves a group and version.
type servedBy struct {
	asking  chan struct{} // holds one token while somebody asks
	asked   bool          // and need not be asked again
	ordered bool
	known   bool
}

// orderPatience bounds the question who serves a type.
const orderPatience = 5 * time.Second

// Ordered reports whether the server orders the resourceVersions of the collection,
// and whether that is known. An API server orders those of what it serves itself:
// built-in types and custom resources. Of a server behind it (APIService) nothing can
// be said in general. So for a type that is not built in the APIService is read, once
// for each cluster; who may not read it does not know. It makes a Collection a
// reflector.Orderer.
func (c *Collection) Ordered(ctx context.Context) (ordered, known bool) {
	r := c.resource
	if r.Group == "" || scheme.Scheme.IsGroupRegistered(r.Group) {
		return true, true
	}
	return c.cluster.orders.of(ctx, c.cluster, schema.GroupVersion{Group: r.Group, Version: r.Version})
}

// Ordered is Collection.Ordered. As long as the type is not known, nothing is.
func (s *Source) Ordered(ctx context.Context) (ordered, known bool) {
	s.mu.Lock()
	coll := s.coll
	s.mu.Unlock()
	if coll == nil {
		return false, false
	}
	return coll.Ordered(ctx)
}

// of asks the server, unless somebody has done so before.
func (o *orders) of(ctx context.Context, c *Cluster, gv schema.GroupVersion) (ordered, known bool) {
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
	ctx, cancel := context.WithTimeout(ctx, orderPatience)
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

// aggregated reports whether a server behind the API server serves a group and
// version.
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
