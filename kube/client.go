package kube

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/vedette-io/vedette/wire"
)

// Object is what a pointer to the struct of an API type is: a built-in type,
// the Go struct of a custom resource that embeds metav1.TypeMeta and
// metav1.ObjectMeta (no generated code is needed), unstructured.Unstructured,
// or metav1.PartialObjectMetadata. Other types do not compile.
type Object[T any] interface {
	*T
	metav1.Object
	GetObjectKind() schema.ObjectKind
}

// Writes says what becomes of what a client writes.
type Writes uint8

const (
	// Persist it.
	Persist Writes = iota
	// DryRun has the server do everything but keep it: defaults, admission,
	// validation. The answer is what would have been; nothing is reported to
	// WithWrites.
	DryRun
)

// Expired says how a list goes on when the version that its first page showed
// is no longer there (410): which takes more than about five minutes.
type Expired uint8

const (
	// FailExpired ends the list with an error for which
	// apierrors.IsResourceExpired holds. What was listed until then is of one
	// instant.
	FailExpired Expired = iota
	// RestAsItIsNow lists the rest as it is now: every object comes at most
	// once, but one that was created, or deleted, since the list began may or
	// may not be there.
	RestAsItIsNow
)

// DefaultPageSize is the number of objects that a client asks for at once.
const DefaultPageSize = 500

// maxFieldManager is the length of a field manager's name that servers take.
const maxFieldManager = 128

// ClientConfig says what a client is for, and how. The zero value works for
// built-in types and for types that are registered in a scheme.
type ClientConfig struct {
	// Resource names the type as Cluster.Resolve takes it: "jobs.batch",
	// "TrainJob.v1.example.com". Default: what the scheme says of T, and else
	// the one type on the server whose kind is the name of T. It is required
	// for unstructured.Unstructured and metav1.PartialObjectMetadata.
	Resource string
	// Scheme knows the kinds of Go types; default that of client-go, which has
	// all built-in types, and those that were added to it.
	Scheme *runtime.Scheme
	// FieldManager is the name under which the server notes who owns which
	// field, at most 128 bytes; default what the server makes of the user
	// agent. Apply requires it.
	FieldManager string
	// Writes: persisted unless DryRun.
	Writes Writes
	// PageSize is how many objects a list asks for at once; default 500. So
	// many encoded objects are in memory at a time.
	PageSize int
	// Expired: a list whose version is gone fails unless RestAsItIsNow.
	Expired Expired
}

// Client reads and writes objects of one type in one cluster. Create it with
// For. Any number of goroutines may use it.
//
// Objects that it returns are the caller's own, and say what type they are
// (apiVersion and kind). Objects that are handed in are only read: the new
// state of what was written is what a method returns.
type Client[T any] struct {
	endpoint
	meta func(*T) Controllable
}

// For returns a client of the objects of type T:
//
//	jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
//
// It does not speak to the server: the first request finds the type by
// discovery, and a type that is served later is found then.
//
// Errors: *IllegalError.
func For[T any, P Object[T]](cluster *Cluster, cfg ClientConfig) (*Client[T], error) {
	if cluster == nil {
		return nil, &IllegalError{Problem: "there is no cluster to make a client for", Remedy: "take what kube.Connect returned"}
	}
	if cfg.PageSize < 0 {
		return nil, &IllegalError{Problem: fmt.Sprintf("a page can not have %d objects", cfg.PageSize), Remedy: "set ClientConfig.PageSize to a positive number, or leave it"}
	}
	if cfg.PageSize == 0 {
		cfg.PageSize = DefaultPageSize
	}
	if len(cfg.FieldManager) > maxFieldManager {
		return nil, &IllegalError{Problem: fmt.Sprintf("the field manager %.20q… has more than %d bytes", cfg.FieldManager, maxFieldManager)}
	}
	if cfg.Scheme == nil {
		cfg.Scheme = scheme.Scheme
	}
	c := &Client[T]{
		endpoint: endpoint{cluster: cluster, cfg: cfg},
		meta:     func(obj *T) Controllable { return P(obj) },
	}
	if err := c.identify(reflect.TypeFor[T](), any(new(T))); err != nil {
		return nil, err
	}
	if !(wire.Codec[T]{}).Protobuf() {
		c.encoding = JSONOnly
	}
	return c, nil
}

// base returns what does not depend on the type, nil of a client that is nil.
func (c *Client[T]) base() *endpoint {
	if c == nil {
		return nil
	}
	return &c.endpoint
}

// identify finds out what to ask discovery for.
func (e *endpoint) identify(t reflect.Type, obj any) error {
	e.goType = t.String()
	general := false
	switch t {
	case reflect.TypeFor[metav1.PartialObjectMetadata]():
		e.view, general = Metadata, true
	case reflect.TypeFor[unstructured.Unstructured]():
		general = true
	}
	if !general {
		kinds, err := kindsOf(e.cfg.Scheme, obj)
		if err != nil {
			return &IllegalError{Problem: fmt.Sprintf("the scheme does not tell which type %v is: %v", t, err), Remedy: "name it in ClientConfig.Resource"}
		}
		e.kinds = kinds
	}
	e.name = e.cfg.Resource
	switch {
	case e.name != "":
	case general:
		return &IllegalError{Problem: fmt.Sprintf("%v does not say which type of objects is meant", t), Remedy: "name it in ClientConfig.Resource"}
	case len(e.kinds) == 1:
		e.name = e.kinds[0].Kind + "." + e.kinds[0].Version + "." + e.kinds[0].Group
	case len(e.kinds) > 1:
		return &IllegalError{Problem: fmt.Sprintf("the scheme knows %v as %v", t, e.kinds), Remedy: "name one in ClientConfig.Resource"}
	case t.Name() == "" || strings.Contains(t.Name(), "["):
		return &IllegalError{Problem: fmt.Sprintf("the name of %v is that of no kind", t), Remedy: "name the type in ClientConfig.Resource"}
	default:
		e.name, e.byKind = t.Name(), true
	}
	return nil
}

// kindsOf returns the kinds by which a scheme knows the Go type of obj.
func kindsOf(s *runtime.Scheme, obj any) ([]schema.GroupVersionKind, error) {
	known, ok := obj.(runtime.Object)
	if !ok {
		return nil, nil // without DeepCopyObject it can be in no scheme
	}
	kinds, _, err := s.ObjectKinds(known)
	if runtime.IsNotRegisteredError(err) {
		return nil, nil
	}
	return kinds, err
}
