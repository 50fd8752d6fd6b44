package kube

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// Validation says what a server does with unknown and duplicate fields of an object that
// is written.
type Validation uint8

const (
	// ServerValidation: the server drops them, and warns (WithWarnings).
	ServerValidation Validation = iota
	// RejectUnknown: the server refuses the object (400).
	RejectUnknown
	// DropUnknown: the server drops them silently.
	DropUnknown
)

// OnExpired says how a list goes on when the version that its first page showed
// is no longer there (410): which takes more than about five minutes.
type OnExpired uint8

const (
	// FailExpired ends the list with an error for which
	// apierrors.IsResourceExpired holds. What was listed until then is of one
	// instant.
	FailExpired OnExpired = iota
	// ContinueInconsistent lists the rest as it is now: every object comes at most
	// once, but one that was created, or deleted, since the list began may or
	// may not be there.
	ContinueInconsistent
)

// DefaultPageSize is the number of objects that a client asks for at once.
const DefaultPageSize = 500

// maxFieldManager is the length of a field manager's name that servers take.
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
	// FieldManager is the name under which the server notes who owns which
	// field, at most 128 bytes; default what the server makes of the user
	// agent. Apply requires it.
	FieldManager string
	// Writes: persisted unless DryRun.
	Writes Writes
	// Validation says what becomes of unknown and duplicate fields in what is written.
	Validation Validation
	// PageSize is how many objects a list asks for at once; default 500. So
	// many encoded objects are in memory at a time.
	PageSize int
	// Expired: a list whose version is gone fails unless ContinueInconsistent.
	OnExpired OnExpired
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

// For returns a client for objects of type T:
//
//	jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
//
// For sends nothing to the server. The first request for a type that is not built in
// runs discovery, so the client also finds a type that the server starts to serve
// later.
//
// Errors: *IllegalError.
func For[T any, P Object[T]](cluster *Cluster, cfg ClientConfig) (*Client[T], error) {
	if cluster == nil {
		return nil, &IllegalError{Problem: "there is no cluster to make a client for", Remedy: "take what kube.Connect returned"}
	}
	if cfg.PageSize < 0 {
		return nil, &IllegalError{Problem: fmt.Sprintf("a page cannot have %d objects", cfg.PageSize), Remedy: "set ClientConfig.PageSize to a positive number, or leave it"}
	}
	if cfg.PageSize == 0 {
		cfg.PageSize = DefaultPageSize
	}
	if len(cfg.FieldManager) > maxFieldManager {
		return nil, &IllegalError{Problem: fmt.Sprintf("the field manager %.20q… has more than %d bytes", cfg.FieldManager, maxFieldManager)}
	}
	target, err := TargetOf[T](TypeConfig{Resource: cfg.Resource, GroupVersion: cfg.GroupVersion, Scheme: cfg.Scheme})
	if err != nil {
		return nil, err
	}
	c := &Client[T]{
		endpoint: endpoint{cluster: cluster, cfg: cfg, target: target},
		meta:     func(obj *T) Controllable { return P(obj) },
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
