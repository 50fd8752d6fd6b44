package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/workload"
)

// adapters are the scenarios of the engine behind the interfaces of client-go and
// controller-runtime.
var adapters = []Scenario{
	{
		Name: "adapter-sync", Title: "Adapters: first sync",
		About: "Informers of client-go and caches of controller-runtime, with and without our engine. The time ends when all handlers have the first list. If handlers read, each reads an annotation of the decoded object, and the floor decodes each object once.",
		Cases: adapterSyncCases, Figures: slicesOf(syncFigures),
	},
	{
		Name: "adapter-events", Title: "Adapters: events handled",
		About: "After the first list the server sends events as fast as the client reads them. Handlers that read nothing take only names (clientgo.KeyHandlerFuncs); all others get the old and the new object, and read an annotation of the new one, or of both.",
		Cases: adapterEventCases, Figures: slicesOf(eventFigures),
	},
	{
		Name: "adapter-reads", Title: "Adapters: reads of reconcilers",
		About: "During events, a reconciler reads the cache: one of a hundred hot objects or any object by its name, 20 objects by an index, the same by a selector over all, or all. CPU includes the events and the reads. Packed informers decode objects when they are read; client-go has already decoded all objects of the first list, so the next column includes that list. `floor-decoded` is a map of decoded objects behind a lock.",
		Cases: adapterReadCases, Figures: []Figure{
			{Title: "CPU", Name: measure.CPU, Unit: Seconds},
			{Title: "CPU with the first list", Name: contest.Since, Unit: Seconds},
			{Title: "CPU per read", Name: contest.PerLookup, Unit: Seconds},
			{Title: "wall", Name: measure.Wall, Unit: Seconds},
			{Title: "live heap", Name: measure.Heap, Unit: Bytes},
			{Title: "peak RSS", Name: measure.Peak, Unit: Bytes},
			{Title: "allocated", Name: measure.Alloc, Unit: Bytes},
			{Title: "GC", Name: measure.GC, Unit: Share},
		},
	},
}

// Contestants of the adapters.
var (
	adaptTyped    = []string{"adapter", "adapter-live", "client-go"}
	adaptDynamic  = []string{"adapter-dynamic", "adapter-dynamic-live", "client-go-dynamic"}
	adaptMetadata = []string{"adapter-metadata", "adapter-metadata-live", "client-go-metadata"}

	adaptRuntime             = []string{"adapter-runtime", "adapter-runtime-lean", "adapter-runtime-live", "controller-runtime"}
	adaptRuntimeUnstructured = []string{"adapter-runtime-unstructured", "controller-runtime-unstructured"}
	adaptRuntimeMetadata     = []string{"adapter-runtime-metadata", "controller-runtime-metadata"}
)

// Cases of the adapters that report.Targets refers to.
const (
	AdapterNothing = "pods, read nothing"
	AdapterOnce    = "pods, each decoded once"
	AdapterBoth    = "pods, 16 handlers, old and new"

	AdapterBusyBoth   = "busy pods, 16 handlers, old and new"
	AdapterRandomBoth = "random bytes, 16 handlers, old and new"
)

// shape is a kind of objects for the adapters.
type shape struct {
	title, kind string
	n           int
	encoding    workload.Encoding
	who         []string
}

// shapes are the shapes of the full run.
var shapes = []shape{
	{"pods", "pods", 30_000, workload.Protobuf, adaptTyped},
	{"busy pods", "busy", 10_000, workload.Protobuf, adaptTyped},
	{"busy pods, dynamic", "busy", 5_000, workload.JSON, adaptDynamic},
	{"busy pods, metadata", "busy", 10_000, workload.Protobuf, adaptMetadata},
	{"busy pods, controller-runtime", "busy", 10_000, workload.Protobuf, adaptRuntime},
	{"busy pods, controller-runtime, unstructured", "busy", 5_000, workload.JSON, adaptRuntimeUnstructured},
	{"busy pods, controller-runtime, metadata", "busy", 10_000, workload.Protobuf, adaptRuntimeMetadata},
	{"random bytes", "random", 10_000, workload.Protobuf, adaptTyped},
	{"annotated", "annotated", 200, workload.Protobuf, adaptTyped},
	{"sparse", "sparse", 20_000, workload.Protobuf, adaptTyped},
	{"widgets, dynamic", "widgets", 2_000, workload.JSON, adaptDynamic},
}

// few are the shapes of the shortest run: one for each kind of contestants, and those of
// report.Targets.
var few = []shape{shapes[0], shapes[1], shapes[7], shapes[2], shapes[3], shapes[4], shapes[5], shapes[6]}

// plan returns a case of a shape.
func (s shape) plan(o Options, what, floor string) *plan {
	return o.plan(s.title+", "+what, s.kind, pick(o, 20, s.n, s.n), s.encoding, slices.Concat(s.who, s.floors(floor))...).rounds(pick(o, 1, 1, 3))
}

// floors returns the floor of a shape, if there is one: no floor has only metadata, or
// decodes JSON.
func (s shape) floors(name string) []string {
	metadata := slices.ContainsFunc(s.who, func(who string) bool { return strings.HasSuffix(who, "metadata") })
	if metadata || name == "" || name == "floor-decoded" && s.encoding != workload.Protobuf {
		return nil
	}
	return []string{name}
}

// floorOf returns the floor of handlers or of an index.
func floorOf(reads contest.Reading, index bool) string {
	if reads > contest.ReadNothing || index {
		return "floor-decoded"
	}
	return "floor"
}

// reading is the number of handlers, and their reads.
type reading struct {
	handlers int
	reads    contest.Reading
}

// String says it in words.
func (r reading) String() string {
	what := []string{"read nothing", "read the new one", "old and new"}[r.reads]
	if r.handlers == 1 {
		return "1 handler, " + what
	}
	return fmt.Sprintf("%d handlers, %s", r.handlers, what)
}

// readings are the readings of the full run.
var readings = []reading{
	{1, contest.ReadNothing}, {5, contest.ReadNothing}, {1, contest.ReadNew}, {1, contest.ReadBoth}, {5, contest.ReadBoth}, {16, contest.ReadBoth},
}

func adapterSyncCases(o Options) []Case {
	add := func(cases []Case, s shape, what string, handlers int, reads contest.Reading, index bool) []Case {
		p := s.plan(o, what, floorOf(reads, index))
		p.Task.Handlers, p.Task.Reads, p.Task.Index = handlers, reads, index
		return append(cases, p.done(o))
	}
	if o.Size == Short {
		pods := shapes[0]
		return add(add(nil, pods, "read nothing", 1, contest.ReadNothing, false), pods, "each decoded once", 1, contest.ReadNew, false)
	}
	var cases []Case
	for _, s := range pick(o, few, nil, shapes) {
		cases = add(cases, s, "read nothing", 1, contest.ReadNothing, false)
		cases = add(cases, s, "each decoded once", 1, contest.ReadNew, false)
		cases = add(cases, s, "5 handlers, each object", 5, contest.ReadNew, false)
		cases = add(cases, s, "16 handlers, each object", 16, contest.ReadNew, false)
		cases = add(cases, s, "an index that decodes", 0, contest.ReadNothing, true)
	}
	return cases
}

func adapterEventCases(o Options) []Case {
	add := func(cases []Case, s shape, r reading, churn workload.Churn) []Case {
		floor := floorOf(r.reads, false)
		if churn.Sort == workload.Relist {
			floor = "" // it cannot list again
		}
		p := s.plan(o, r.String(), floor)
		if churn.Sort != workload.Heartbeats {
			p.Name += ", " + string(churn.Sort)
		}
		p.Task.Handlers, p.Task.Reads = r.handlers, r.reads
		return append(cases, p.does(contest.Events, churn).done(o))
	}
	beats := func(s shape) workload.Churn {
		return workload.Churn{Sort: workload.Heartbeats, Events: pick(o, 50, 20_000, min(20_000, 3*s.n))}
	}
	if o.Size == Short {
		pods := shapes[0]
		return add(nil, pods, reading{16, contest.ReadBoth}, beats(pods))
	}
	var cases []Case
	for _, s := range pick(o, few, nil, shapes) {
		for _, r := range readings {
			cases = add(cases, s, r, beats(s))
		}
		if o.Size == Tiny {
			continue // clients pause for seconds between lists
		}
		for _, r := range []reading{{1, contest.ReadNothing}, {1, contest.ReadBoth}} {
			cases = add(cases, s, r, workload.Churn{Sort: workload.Relist, Events: pick(o, 1, 3, 3)})
		}
	}
	return cases
}

func adapterReadCases(o Options) []Case {
	if o.Size == Short {
		return nil
	}
	var cases []Case
	for _, s := range pick(o, few, nil, shapes[:8]) {
		for _, l := range []struct {
			title   string
			what    contest.Lookup
			lookups int
			hot     int
		}{
			{"hot objects by name", contest.LookupGet, 20_000, 100},
			{"any object by name", contest.LookupGet, 20_000, 0},
			{"any object by name, often", contest.LookupGet, 200_000, 0},
			{"20 by an index", contest.LookupIndex, 2_000, 0},
			{"20 by a selector", contest.LookupLabels, 40, 0},
			{"all", contest.LookupList, 20, 0},
		} {
			if s.kind == "random" && (l.what == contest.LookupIndex || l.what == contest.LookupLabels) {
				continue // its objects have no labels
			}
			p := s.plan(o, l.title, "floor-decoded")
			p.Task.Index, p.Task.Lookup, p.Task.HotKeys = true, l.what, l.hot
			p.Task.Lookups = pick(o, 5, l.lookups, l.lookups)
			p.does(contest.Look, workload.Churn{Sort: workload.Heartbeats, Events: pick(o, 50, 0, 20_000)})
			cases = append(cases, p.done(o))
		}
	}
	return cases
}
