package kube

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// Object is the constraint for a pointer to the struct of an API type: a built-in type,
// the Go struct of a custom resource that embeds metav1.TypeMeta and metav1.ObjectMeta
// (generated code is not needed), unstructured.Unstructured, or
// metav1.PartialObjectMetadata. Other types do not compile.
type Object[T any] interface {
	*T
	metav1.Object
	GetObjectKind() schema.ObjectKind
}

// Writes determines whether the server stores the writes of a client.
type Writes uint8

const (
	// Persist stores them.
	Persist Writes = iota
	// DryRun makes the server do everything except storing the object: defaults,
	// admission and validation. The answer is the object that would have been stored.
	// WithWrites does not report the write.
	DryRun
)

// Validation determines how a server treats unknown and duplicate fields of an object
// that is written.
type Validation uint8

const (
	// ServerValidation makes the server drop them and send a warning (WithWarnings).
	ServerValidation Validation = iota
	// RejectUnknown makes the server reject the object (400).
	RejectUnknown
	// DropUnknown makes the server drop them without a warning.
	DropUnknown
)

// OnExpired determines how a list continues if the server no longer has the version of
// its first page (410). That happens to lists that take more than about five minutes.
type OnExpired uint8

const (
	// FailExpired ends the list with an error for which apierrors.IsResourceExpired
	// holds. All objects returned before the error are from one instant.
	FailExpired OnExpired = iota
	// ContinueInconsistent lists the remaining objects in their current state. Every
	// object is returned at most once; an object that was created or deleted since the
	// list began may or may not be returned.
	ContinueInconsistent
)

// DefaultPageSize is the default of ClientConfig.PageSize.
const DefaultPageSize = 500

// maxFieldManager is the maximum length of a field manager's name that servers accept.
const maxFieldManager = 128

// ClientConfig configures a client. The zero value works for the types of k8s.io/api
// and for types that are registered in client-go's scheme.
type ClientConfig struct {
	// Resource, GroupVersion and Scheme identify the type that T stands for, if T alone
	// does not: see TypeConfig and TargetOf. Resource is required for
	// unstructured.Unstructured and metav1.PartialObjectMetadata.
	Resource     string
	GroupVersion schema.GroupVersion
	Scheme       *runtime.Scheme
	// FieldManager is the name under which the server records the ownership of fields, at
	// most 128 bytes. By default, the server derives it from the user agent. Apply
	// requires it.
	FieldManager string
	// Writes is Persist or DryRun.
	Writes Writes
	// Validation determines how the server treats unknown and duplicate fields in written
	// objects.
	Validation Validation
	// PageSize is the maximum number of objects per page of a list; default 500. A list
	// holds one page of encoded objects in memory.
	PageSize int
	// OnExpired determines how a list continues if its version has expired; default
	// FailExpired.
	OnExpired OnExpired
}

// Client reads and writes objects of one type in one cluster. Create it with
// For. Any number of goroutines may use it.
//
// The caller owns the objects that the client returns; they have apiVersion and kind.
// Objects passed to the client are only read; a write returns the new state of the
// object.
type Client[T any] struct {
	endpoint
	meta func(*T) Controllable
}

// For returns a client for objects of type T:
//
//	jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
//
// For sends nothing to the server. The first request for a type that is not built in
// runs discovery, so the client also finds a type that the server starts to serve
// later.
//
// Errors: errcode.Invalid.
func For[T any, P Object[T]](cluster *Cluster, cfg ClientConfig) (*Client[T], error) {
	if cluster == nil {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: "the cluster of the client is nil", Remedy: "use the result of kube.Connect"}
	}
	if cfg.PageSize < 0 {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("a page cannot have %d objects", cfg.PageSize), Remedy: "set ClientConfig.PageSize to a positive number, or leave it"}
	}
	if cfg.PageSize == 0 {
		cfg.PageSize = DefaultPageSize
	}
	if len(cfg.FieldManager) > maxFieldManager {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the field manager %.20q… has more than %d bytes", cfg.FieldManager, maxFieldManager)}
	}
	target, err := TargetOf[T](TypeConfig{Resource: cfg.Resource, GroupVersion: cfg.GroupVersion, Scheme: cfg.Scheme})
	if err != nil {
		return nil, err
	}
	c := &Client[T]{
		endpoint: endpoint{cluster: cluster, cfg: cfg, target: target},
		meta:     func(obj *T) Controllable { return P(obj) },
	}
	if _, encodes := any(new(T)).(interface{ Marshal() ([]byte, error) }); !encodes || !(wire.Codec[T]{}).Protobuf() {
		c.encoding = JSONOnly
	}
	return c, nil
}

// Resource returns the type on the server. The first request for a type that is not built in
// runs discovery, and waits for up to ten seconds for a custom resource whose definition is
// established and that discovery does not list yet.
//
// Errors: *RequestError.
func (c *Client[T]) Resource(ctx context.Context) (Resource, error) {
	return c.endpointOrNil().lookup(ctx, "find")
}

// endpointOrNil returns the part of the client that does not depend on the type, or nil
// for a nil client.
func (c *Client[T]) endpointOrNil() *endpoint {
	if c == nil {
		return nil
	}
	return &c.endpoint
}
