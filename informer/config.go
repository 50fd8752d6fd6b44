package informer

import (
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/userlog"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Storage is the form in which an informer keeps objects.
type Storage uint8

const (
	// Packed keeps the received bytes of each object, compressed with a dictionary of
	// similar objects. Every read decodes a new object, which belongs to the reader.
	Packed Storage = iota
	// Live decodes each object once, on arrival, and keeps it next to its bytes. All
	// readers share the object and must not change it; it may share the values that are
	// nested at least three fields deep with other objects (wire.DecodeShared). Live needs
	// several times the memory of Packed. Use it if programs read most objects all the time.
	Live
)

// Config is the configuration of an Informer. The zero value watches all
// objects of a type in all namespaces.
type Config struct {
	// Resource names the type in kubectl's syntax: "pods", "po", "jobs.batch",
	// "jobs.v1alpha1.batch.volcano.sh". It is required for unstructured.Unstructured
	// and metav1.PartialObjectMetadata. For other types the default is the type of T,
	// and a name that does not agree with T is an error.
	Resource string
	// GroupVersion is the group and version of T: the variable GroupVersion or
	// SchemeGroupVersion of its package. It is not needed for the types of k8s.io/api,
	// nor for types that Scheme knows. If T is neither and GroupVersion is empty, the
	// name of T must match exactly one kind in the cluster, and not a built-in one.
	GroupVersion schema.GroupVersion
	// Scheme maps Go types to group, version and kind; default the scheme of client-go.
	Scheme *runtime.Scheme
	// Namespaces are the followed namespaces; default all. The informer lists and watches
	// each of them. Informer.SetNamespaces changes them later.
	Namespaces []string
	// LabelSelector and FieldSelector select objects, in the syntax of kubectl; default
	// all. The server evaluates them.
	LabelSelector string
	FieldSelector string

	// Missing determines what Run does if the server does not serve the type; default
	// FailIfMissing. It has no effect on an informer made by Across, which waits.
	Missing MissingPolicy

	// Storage is the form in which objects are kept; default Packed.
	Storage Storage
	// Decode replaces the decoder of T for the shared objects of a Live informer. The
	// store returns them with its entries (store.Entry.Object), and keeps no bytes of the
	// objects. Decode is for adapters that learn the type at run time. It cannot be
	// combined with WarmStart. With Packed it has no effect unless KeepObject is set.
	Decode func(wire.Record) (any, error)
	// KeepObject makes a Packed informer keep some objects as Live does; see
	// store.Config.KeepObject. It needs Decode.
	KeepObject func(store.Candidate) bool
	// HotObjects is the maximum number of decoded objects that are cached; default none.
	// Each reader gets a copy. A cache saves time if few objects are read very often. T
	// needs a DeepCopyInto like that of API types.
	HotObjects int
	// Transform converts a record to the form that is stored, before any reader sees
	// it: it may change body and encoding. If it returns an error or panics, the
	// informer keeps the last known state of the object, both for a watch and for a
	// list; an unknown object is not stored. Stats.Refused counts both cases.
	// Transform[T] wraps a function on objects. Readers get objects that are marked with
	// kube.MarkPartial, which kube.Client.Update refuses: it would erase what the transform
	// has removed. Default: records are stored unchanged.
	Transform func(wire.Record) (wire.Record, error)
	// TransformVersion identifies the output of Transform, or of the function of
	// Project. Change it whenever that function changes: a snapshot file written with
	// another version is not used. It is required for WarmStart.Path if objects are
	// transformed, and has no effect without WarmStart.
	TransformVersion string

	// Resync is the default period after which a handler gets each object again, from
	// the store. Default: no resync.
	Resync time.Duration
	// Backlog is the number of changes that may wait for a consumer before
	// SubscriptionConfig.Mode takes effect; default store.DefaultBacklog, which is 16,384.
	Backlog int
	// WarmStart configures a snapshot file; default no file.
	WarmStart WarmStart
	// Panics determines what happens after Transform, Decode, KeepObject or an index
	// function panics; default RetryOnPanic, which skips the object.
	Panics PanicPolicy
	// Logger receives each fault that changes the state of the informer once, with a
	// remedy (Warn), and its end (Info). It also receives a warning if the program
	// waits for an informer that was never run, and the errors and panics of handlers
	// (Error). Apart from these errors, a scope or a handler logs at most 6 lines a
	// minute. Default slog.Default() at the time of the line;
	// slog.New(slog.DiscardHandler) disables logging.
	Logger *slog.Logger

	// Reflector and Queue configure the parts; their zero values work.
	// Reflector.Scope, Reflector.Resume and Reflector.Lists are set by the informer.
	Reflector reflector.Config
	Queue     delta.Limits
}

func (c *Config) logger() *slog.Logger {
	return userlog.Of(c.Logger)
}

func (c *Config) backlog() int {
	if c.Backlog > 0 {
		return c.Backlog
	}
	return store.DefaultBacklog
}
