package contest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
	adapter "github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/informer"
)

// Object is the form of the objects of a contestant.
type Object string

const (
	// Typed objects are Go structs of the API.
	Typed Object = "typed"
	// Dynamic objects are Unstructured.
	Dynamic Object = "dynamic"
	// Metadata objects have only metadata.
	Metadata Object = "metadata"
)

// Contestant is one library with one configuration.
type Contestant struct {
	Name    string
	Library string // the module, for its version
	Objects Object
	// Note describes the configuration in a few words.
	Note string
	// Open prepares the cache without running it.
	Open func(Env) (Cache, error)
}

// All are the contestants.
var All = []Contestant{
	{Name: "vedette", Library: ours, Objects: Typed, Note: "packed; handlers get the latest state", Open: openVedette(packed)},
	{Name: "vedette-live", Library: ours, Objects: Typed, Note: "informer.Live: decoded once, shared", Open: openVedette(live)},
	{Name: "vedette-pull", Library: ours, Objects: Typed, Note: "packed; every change, pulled from Events", Open: openVedette(pull)},
	{Name: "vedette-field", Library: ours, Objects: Typed, Note: "packed; the handler reads one field from the bytes", Open: openVedette(field)},
	{Name: "vedette-warm", Library: ours, Objects: Typed, Note: "packed, started from its snapshot file", Open: openVedette(warm)},
	{Name: "vedette-unstructured", Library: ours, Objects: Dynamic, Note: "packed, Unstructured", Open: openVedette(packed)},
	{Name: "vedette-metadata", Library: ours, Objects: Metadata, Note: "packed, PartialObjectMetadata", Open: openVedette(packed)},
	{Name: "client-go", Library: clientGo, Objects: Typed, Note: "shared informer", Open: openClientGo},
	{Name: "client-go-dynamic", Library: clientGo, Objects: Dynamic, Note: "dynamic shared informer", Open: openClientGo},
	{Name: "client-go-metadata", Library: clientGo, Objects: Metadata, Note: "metadata shared informer", Open: openClientGo},
	{Name: "controller-runtime", Library: controllerRuntime, Objects: Typed, Note: "cache", Open: openControllerRuntime},
	{Name: "controller-runtime-unstructured", Library: controllerRuntime, Objects: Dynamic, Note: "cache, Unstructured", Open: openControllerRuntime},
	{Name: "controller-runtime-metadata", Library: controllerRuntime, Objects: Metadata, Note: "cache, PartialObjectMetadata", Open: openControllerRuntime},
	{Name: "adapter", Library: ours, Objects: Typed, Note: "client-go's informer, adopted; packed", Open: openAdapter(informer.Packed)},
	{Name: "adapter-live", Library: ours, Objects: Typed, Note: "the same, Live", Open: openAdapter(informer.Live)},
	{Name: "adapter-dynamic", Library: ours, Objects: Dynamic, Note: "client-go's dynamic informer, adopted; packed", Open: openAdapter(informer.Packed)},
	{Name: "adapter-dynamic-live", Library: ours, Objects: Dynamic, Note: "the same, Live", Open: openAdapter(informer.Live)},
	{Name: "adapter-metadata", Library: ours, Objects: Metadata, Note: "client-go's metadata informer, adopted; packed", Open: openAdapter(informer.Packed)},
	{Name: "adapter-metadata-live", Library: ours, Objects: Metadata, Note: "the same, Live", Open: openAdapter(informer.Live)},
	{Name: "adapter-runtime", Library: ours, Objects: Typed, Note: "controller-runtime's cache on our engine, by NewCache: packed, with managedFields", Open: openAdapterRuntime(adapter.NewCache)},
	{Name: "adapter-runtime-lean", Library: ours, Objects: Typed, Note: "the same by NewCacheWith, without managedFields", Open: openAdapterRuntime(lean(informer.Packed))},
	{Name: "adapter-runtime-live", Library: ours, Objects: Typed, Note: "the same, without managedFields, Live", Open: openAdapterRuntime(lean(informer.Live))},
	{Name: "adapter-runtime-unstructured", Library: ours, Objects: Dynamic, Note: "the same by NewCache, Unstructured", Open: openAdapterRuntime(adapter.NewCache)},
	{Name: "adapter-runtime-metadata", Library: ours, Objects: Metadata, Note: "the same by NewCache, PartialObjectMetadata", Open: openAdapterRuntime(adapter.NewCache)},
	{Name: "floor", Library: ours, Objects: Typed, Note: "no cache: reads the socket and copies each frame once; live heap is what zstd leaves of an object with the one before it as dictionary. As a queue it is a slice behind a lock, as a store a map with a copy of each body behind a pointer", Open: openFloor},
	{Name: "floor-decoded", Library: ours, Objects: Typed, Note: "the floor where objects are read: it also decodes each once, by package wire, and keeps it in a map behind a lock", Open: openFloorDecoded},
	{Name: "floor-warm", Library: ours, Objects: Typed, Note: "the floor of a restart: reads the snapshot file of vedette-warm into memory", Open: openFloorWarm},
	{Name: "statedb", Library: stateDB, Objects: Typed, Note: "a table fed by client-go's reflector; a transaction for each event, one for a list", Open: openStateDB},
}

// Modules of the contestants.
const (
	ours              = "github.com/vedette-io/vedette"
	clientGo          = "k8s.io/client-go"
	controllerRuntime = "sigs.k8s.io/controller-runtime"
	stateDB           = "github.com/cilium/statedb"
)

// Of returns a contestant by its name.
func Of(name string) (Contestant, error) {
	if i := slices.IndexFunc(All, func(c Contestant) bool { return c.Name == name }); i >= 0 {
		return All[i], nil
	}
	var names []string
	for _, c := range All {
		names = append(names, c.Name)
	}
	return Contestant{}, fmt.Errorf("there is no contestant %q; there are %s", name, strings.Join(names, ", "))
}

// Form returns the form that a contestant requests in an encoding.
func (c Contestant) Form(e workload.Encoding) workload.Form {
	f := workload.Form{Encoding: e}
	switch {
	case c.Objects == Metadata:
		f.Part = workload.Metadata
	case c.Objects == Dynamic && e == workload.Protobuf:
		f.Encoding = workload.JSON
	}
	return f
}

// Env is the configuration of a contestant.
type Env struct {
	URL      string
	Kinds    []workload.Kind // usually one
	Objects  Object
	Encoding workload.Encoding
	Mode     serve.Mode
	Handlers []Handler
	// Index adds an index by the label "app" to the cache, with a function that takes a
	// decoded object.
	Index bool
	// Dir is a folder that exists until the case ends.
	Dir string
	// N is the number of objects of the server.
	N int
}

// rest returns the configuration of a client without limits.
func (e *Env) rest() *rest.Config {
	cfg := &rest.Config{Host: e.URL, QPS: -1}
	switch e.Encoding {
	case workload.Protobuf:
		cfg.ContentType = "application/vnd.kubernetes.protobuf"
		cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	case workload.CBOR:
		cfg.AcceptContentTypes = "application/cbor,application/json"
	}
	return cfg
}

// Handler gets every event of a cache, on one goroutine.
type Handler struct {
	// Told is called with the name of the object, and with the time in its stamp if Reads
	// is set.
	Told func(name string, sent int64)
	// Reads selects the parts of an object that the handler reads. The cache must decode
	// them.
	Reads Reading
}

// Reading selects the parts of an object that a handler reads.
type Reading uint8

const (
	// ReadNothing reads only the name.
	ReadNothing Reading = iota
	// ReadNew reads an annotation of the object.
	ReadNew
	// ReadBoth reads the same annotation of the object and, for updates, of the old one.
	ReadBoth
)

// Cache is an opened contestant.
type Cache interface {
	// Run follows the server until ctx is done.
	Run(ctx context.Context) error
	// Synced is closed when all caches have their first list.
	Synced() <-chan struct{}
	// Len returns the number of objects.
	Len() int
}
