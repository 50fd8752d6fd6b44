package scenario

import (
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
)

// All are the scenarios, in the order in which they run.
var All = slices.Concat(engine, adapters)

var engine = []Scenario{
	{
		Name: "sync", Title: "First sync",
		About: "A cache is filled from empty. Wall and CPU end when it reports that it is synced; the heap is then measured after two collections; GC is the garbage collector's share of the CPU. The floor keeps nothing; its live heap is an estimate of the bytes that the objects need.",
		Cases: syncCases, Figures: slicesOf(syncFigures),
	},
	{
		Name: "scale", Title: "Cost against the number of objects",
		About: "Pods in protobuf with a streaming list: is the cost per object constant?",
		Cases: scaleCases, Figures: slicesOf(syncFigures),
	},
	{
		Name: "events", Title: "Events applied",
		About: "After the first list the server sends events as fast as the client reads them. One handler counts them; it does not read the objects, so Vedette decodes none, while the peers have decoded all. The handler of `vedette` gets the latest state: if events arrive faster than it is called, it gets fewer events (\"delivered\"), while the store has applied all of them. `vedette-pull` gets every change. In relists, an event is an object of a list; wall includes the pauses of clients between lists.",
		Cases: eventCases, Figures: slicesOf(eventFigures),
	},
	{
		Name: "latency", Title: "From frame to handler",
		About: "The server writes the time into an annotation of the object together with the frame, and the handler compares it with the current time. To read the annotation, `vedette`, `vedette-pull` and `vedette-live` decode the object, the first two for this handler alone; `vedette-field` reads it from the bytes; the peers have already decoded it. Latest state: a revision that was replaced before its handler call is in no figure. If the server sends as fast as the client reads, the time includes the wait in the client, up to the limits of its buffers: a client that reads faster than it handles queues more events, and still finishes sooner.",
		Cases: latencyCases, Figures: slicesOf(latencyFigures),
	},
	{
		Name: "handlers", Title: "One, four and sixteen handlers",
		About: "The same as events; every handler counts all of them.",
		Cases: handlerCases, Figures: slicesOf(eventFigures),
	},
	{
		Name: "stuck", Title: "A handler that never returns",
		About: "One handler hangs at its first call, and another one waits for the last event. The resident memory grows by the changes kept for the first. A process that exceeds the memory limit of the case gives up; \"events\" is the number of events until then.",
		Cases: stuckCases, Figures: []Figure{
			{Title: "events", Name: contest.Done},
			{Title: "RSS growth", Name: measure.RSSGrowth, Unit: Bytes},
			{Title: "per event", Name: "rss-per-event", Unit: Bytes},
			{Title: "live heap", Name: measure.Heap, Unit: Bytes},
			{Title: "CPU", Name: measure.CPU, Unit: Seconds},
			{Title: "gave up", Name: "gave-up"},
		},
	},
	{
		Name: "restart", Title: "Restart",
		About: "A process restarts. `vedette-warm` has the snapshot file of the previous process (informer.WarmStart), which `floor-warm` only reads into memory; all others list. \"lists\" is the number of lists from the server.",
		Cases: restartCases, Figures: append(slicesOf(syncFigures), Figure{Title: "lists", Name: "lists"}),
	},
	{
		Name: "fleet", Title: "Fifty informers in one process",
		About: "Of 50 small custom resources with 20 objects each: the cost of an informer, regardless of its objects.",
		Cases: fleetCases, Figures: []Figure{
			{Title: "wall", Name: measure.Wall, Unit: Seconds},
			{Title: "CPU", Name: measure.CPU, Unit: Seconds},
			{Title: "live heap", Name: measure.Heap, Unit: Bytes},
			{Title: "peak RSS", Name: measure.Peak, Unit: Bytes},
			{Title: "goroutines", Name: measure.Goroutines},
			{Title: "allocations", Name: measure.Allocs},
		},
	},
	{
		Name: "overhead", Title: "Store overhead beyond the objects",
		About: "Small pods, in stores without an informer, with an index by namespace and one by node. For the peers it is the heap beyond the decoded objects; for Vedette the heap beyond the packed bytes, so it includes key, UID, version and index values.",
		Cases: overheadCases, Figures: []Figure{
			{Title: "overhead of each", Name: "overhead", Unit: Bytes},
			{Title: "live heap", Name: measure.Heap, Unit: Bytes, Each: true},
			{Title: "CPU to fill", Name: measure.CPU, Unit: Seconds, Each: true},
			{Title: "allocations", Name: measure.Allocs, Each: true},
		},
	},
	{
		Name: "commit", Title: "Commit of one change",
		About: "Stores without an informer. One goroutine changes one object after the other, first alone, as fast as possible, then with pauses of 0.5 ms while another one loops over all objects. Vedette packs each object; a peer gets a copy of a decoded one.",
		Cases: commitCases, Figures: commitFigures,
	},
	{
		Name: "beside", Title: "Writes beside ten readers",
		About: "One goroutine changes one object after the other, as fast as possible, while ten others continuously list all objects. `vedette` reads the version of each object from its bytes, all others the name of a decoded object.",
		Cases: besideCases, Figures: commitFigures,
	},
	{
		Name: "queue", Title: "Workqueues",
		About: "Eight producers add 100,000 different keys, and eight workers get and finish them, repeatedly. `vedette` always measures ages and latencies; `client-go-measured` has metrics with the lowest possible cost; `client-go` and `controller-runtime` have none. Batches are of 100 keys; the workers of `vedette` then take up to 16 at a time, which the others cannot. client-go and the floor have no priorities.",
		Cases: queueCases, Figures: []Figure{
			{Title: "items/s", Name: contest.PerSecond},
			{Title: "CPU per item", Name: contest.PerEvent, Unit: Seconds},
			{Title: "allocations per item", Name: contest.AllocsPerEvent},
			{Title: "live heap each", Name: measure.Heap, Unit: Bytes, Each: true},
		},
	},
	{
		Name: "record", Title: "Revisions kept durably",
		About: "The first list and then events are written into a database on the same machine, with its default settings: a commit is on disk before the next batch begins. `vedette` is the recorder, with states, transitions, resume points and history as differences; `rows` writes only the objects, each as a row with a JSON column, in batches of the same size and with the same reflector; `floor` appends the objects to a file and waits until each batch is on disk; its size is an estimate of the bytes that the revisions need. CPU is of the process that writes (with SQLite including the database), \"server\" of the database server, each per revision. The API server of the bench runs on the same machine.",
		Cases: recordCases, Figures: recordFigures,
	},
	{
		Name: "notify", Title: "From an event to its message",
		About: "Pods change their states 500 times a second on an API server of `apitest`, and a receiver on the same machine gets a webhook for each change. The time is from the write to the request. `vedette` records each transition, decides by a rule in the file, stores the delivery, claims it and sends it signed, all of it durable; `handler` is an informer of client-go with a handler that posts a small body and keeps nothing; `floor` reads the watch as bytes and posts the version in each frame. CPU is of the whole process, with the API server, the receiver and, for SQLite, the database.",
		Cases: notifyCases, Figures: notifyFigures,
	},
	{
		Name: "portal", Title: "Answers of the portal",
		About: "`vedette portal` over a history in which each job has five transitions, while a recorder commits 500 transitions a second. One client sends HTTP requests in sequence, at most 40 a second. Parameters vary, so no answer comes from a cache. The row `vedette` has list, timeline and job together, and the resource usage of the process: CPU during requests and transitions, heap after two collections, the time from its start until it answers and until it has read the body of every job, and the times of Chromium with an empty cache. Databases have their default settings. The row `floor` is a server of net/http that sends as many bytes for each of these requests, and does nothing else.",
		Cases: portalCases, Figures: portalFigures,
	},
	{
		Name: "streams", Title: "Streams of the portal",
		About: "Clients of the stream with one Chromium, while a recorder commits 500 transitions a second. A slow client reads 4 KB four times a second. A fast client must get every transition in the order of the feed; a slow one must, too, or get a reset. At the end, the rows and counts of the page must equal those of the API. Growth is from one fifth of the time to the end: of the heap after two collections, without the index, which has the new jobs. `floor` is a process that writes as many bytes each second to as many clients, ten times a second.",
		Cases: streamCases, Figures: streamFigures,
	},
}

func slicesOf(f []Figure) []Figure { return append([]Figure(nil), f...) }

var syncFigures = []Figure{
	{Title: "wall", Name: measure.Wall, Unit: Seconds},
	{Title: "CPU each", Name: measure.CPU, Unit: Seconds, Each: true},
	{Title: "live heap each", Name: measure.Heap, Unit: Bytes, Each: true},
	{Title: "peak RSS", Name: measure.Peak, Unit: Bytes},
	{Title: "allocated each", Name: measure.Alloc, Unit: Bytes, Each: true},
	{Title: "allocations each", Name: measure.Allocs, Each: true},
	{Title: "GC", Name: measure.GC, Unit: Share},
}

var eventFigures = []Figure{
	{Title: "CPU per event", Name: contest.PerEvent, Unit: Seconds},
	{Title: "events/s", Name: contest.PerSecond},
	{Title: "delivered", Name: contest.Told},
	{Title: "wall", Name: measure.Wall, Unit: Seconds},
	{Title: "peak RSS", Name: measure.Peak, Unit: Bytes},
	{Title: "allocated", Name: measure.Alloc, Unit: Bytes},
	{Title: "GC", Name: measure.GC, Unit: Share},
}

var latencyFigures = []Figure{
	{Title: "p50", Name: measure.P50, Unit: Seconds},
	{Title: "p99", Name: measure.P99, Unit: Seconds},
	{Title: "max", Name: measure.Max, Unit: Seconds},
	{Title: "delivered", Name: contest.Told},
	{Title: "CPU per event", Name: contest.PerEvent, Unit: Seconds},
}

var commitFigures = []Figure{
	{Title: "alone: p50", Name: "alone-" + measure.P50, Unit: Seconds},
	{Title: "p99", Name: "alone-" + measure.P99, Unit: Seconds},
	{Title: "writes/s", Name: "alone-" + contest.PerSecond},
	{Title: "beside readers: p50", Name: measure.P50, Unit: Seconds},
	{Title: "p99", Name: measure.P99, Unit: Seconds},
	{Title: "max", Name: measure.Max, Unit: Seconds},
	{Title: "writes/s", Name: contest.PerSecond},
	{Title: "of those alone", Name: "share", Unit: Share},
	{Title: "lists/s", Name: "lists-per-second"},
}

// Groups of contestants.
var (
	typed   = []string{"vedette", "vedette-live", "client-go", "controller-runtime", "statedb"}
	dynamic = []string{"vedette-unstructured", "client-go-dynamic", "controller-runtime-unstructured"}
	pair    = []string{"vedette", "client-go"}
	limited = []string{"vedette", "client-go", "floor"}
)

// Names of the cases that report.Targets refers to.
const (
	PodsCase         = "pods, protobuf"
	UnstructuredCase = "pods, JSON, unstructured"
	BusyCase         = "busy pods, 20 of each"
	RandomCase       = "random, protobuf"
	HeartbeatsCase   = "heartbeats"
	BusyBeatsCase    = "heartbeats of " + BusyCase
	RandomBeatsCase  = "heartbeats of random secrets"
	PacedCase        = "1,000 in a second"
	SmallCase        = "small pods"
	WorkersCase      = "8 producers, 8 workers"
	PrioritiesCase   = "three priorities"
	SQLiteCase       = "pods, SQLite"
	PostgresCase     = "pods, PostgreSQL"
	MariaDBCase      = "pods, MariaDB"
	ListSQLiteCase   = "20,000 pods, SQLite"
	ListPostgresCase = "20,000 pods, PostgreSQL"
	ListMariaDBCase  = "20,000 pods, MariaDB"
)

// busyNames are the names of cases with busy pods.
var busyNames = map[string]string{"busy": BusyCase, "busy-3": "busy pods, 3 of each", "busy-1": "busy pods, 1 of each", "busy-mixed": "busy pods, mixed"}

// busyKinds are the kinds of busyNames, in the order of the cases.
var busyKinds = []string{"busy", "busy-3", "busy-1", "busy-mixed"}

func syncCases(o Options) []Case {
	pods := pick(o, 100, 50_000, 50_000)
	if o.Pods > 0 {
		pods = o.Pods
	}
	all := slices.Concat(typed, []string{"floor"})
	headline := pick(o, all, []string{"vedette", "client-go", "vedette-live", "floor"}, all)
	cases := []Case{
		o.plan(PodsCase, "pods", pods, workload.Protobuf, headline...).done(o),
		o.plan(UnstructuredCase, "pods", pick(o, 100, 10_000, 20_000), workload.JSON, slices.Concat(pick(o, dynamic, dynamic[:2], dynamic), []string{"floor"})...).rounds(pick(o, 1, 2, 2)).done(o),
	}
	if o.Size == Short {
		return append(cases, o.plan(BusyCase, "busy", pods, workload.Protobuf, limited...).rounds(1).done(o))
	}
	add := func(name, kind string, n int, e workload.Encoding, mode serve.Mode, contestants ...string) {
		p := o.plan(name, kind, pick(o, 20, n, n), e, contestants...).rounds(1)
		p.mode = mode
		cases = append(cases, p.done(o))
	}
	for _, kind := range busyKinds {
		who := slices.Concat(limited, []string{"vedette-live"})
		if kind == "busy-mixed" {
			who = []string{"vedette", "client-go", "vedette-live"} // an object does not follow its sibling
		}
		add(busyNames[kind], kind, 50_000, workload.Protobuf, serve.Streaming, who...)
	}
	add("pods, JSON", "pods", 10_000, workload.JSON, serve.Streaming, limited...)
	add("pods, CBOR", "pods", 10_000, workload.CBOR, serve.Streaming, pair...)
	add("pods, CBOR, unstructured", "pods", 5_000, workload.CBOR, serve.Streaming, dynamic...)
	add("pods, metadata only", "pods", 20_000, workload.Protobuf, serve.Streaming, "vedette-metadata", "client-go-metadata")
	add("pods, pages", "pods", 20_000, workload.Protobuf, serve.Paged, pair...)
	add("pods, plain list", "pods", 20_000, workload.Protobuf, serve.Plain, pair...)
	add("pods, JSON, pages", "pods", 10_000, workload.JSON, serve.Paged, pair...)
	add("pods, one byte at a time", "pods", 100, workload.Protobuf, serve.Trickle, pair...)
	for _, k := range []struct {
		kind string
		n    int
	}{{"jobs", 20_000}, {"nodes", 5_000}, {"configmaps", 2_000}, {"secrets", 20_000}, {"events", 50_000}, {"sparse", 50_000}, {"annotated", 500}, {"random", 10_000}} {
		add(k.kind+", protobuf", k.kind, k.n, workload.Protobuf, serve.Streaming, limited...)
	}
	add("widgets, JSON", "widgets", 5_000, workload.JSON, serve.Streaming, "vedette", "controller-runtime", "floor")
	add("widgets, JSON, unstructured", "widgets", 5_000, workload.JSON, serve.Streaming, slices.Concat(dynamic, []string{"floor"})...)
	return cases
}

func scaleCases(o Options) []Case {
	if o.Size == Short {
		return nil
	}
	var cases []Case
	for _, n := range pick(o, []int{20, 40}, nil, []int{1_000, 10_000, 50_000, 100_000}) {
		cases = append(cases, o.plan(count(n)+" pods", "pods", n, workload.Protobuf, typed...).rounds(1).done(o))
	}
	if o.Size == Full { // the memory of the peers for more does not fit a machine of 24 GiB
		cases = append(cases, o.plan(count(500_000)+" pods", "pods", 500_000, workload.Protobuf, pair...).rounds(1).done(o))
	}
	return cases
}

func eventCases(o Options) []Case {
	n := pick(o, 40, 10_000, 10_000)
	events := pick(o, 100, 30_000, 50_000)
	who := pick(o, slices.Concat(typed, []string{"floor"}), limited, slices.Concat([]string{"vedette-pull"}, typed, []string{"floor"}))
	cases := []Case{o.plan(HeartbeatsCase, "pods", n, workload.Protobuf, who...).does(contest.Events, workload.Churn{Sort: workload.Heartbeats, Events: events}).done(o)}
	if o.Size == Short {
		return cases
	}
	for _, c := range []struct {
		name  string
		churn workload.Churn
		who   []string
	}{
		{"rolling update", workload.Churn{Sort: workload.Rolling, Events: 3 * n}, who},
		{"mass deletion", workload.Churn{Sort: workload.Deletion, Events: n}, who},
		{"relist storm", workload.Churn{Sort: workload.Relist, Events: pick(o, 1, 3, 3)}, []string{"vedette", "client-go", "controller-runtime"}},
	} {
		cases = append(cases, o.plan(c.name, "pods", n, workload.Protobuf, c.who...).rounds(pick(o, 1, 2, 2)).does(contest.Events, c.churn).done(o))
	}
	for _, kind := range busyKinds {
		p := o.plan("heartbeats of "+busyNames[kind], kind, n, workload.Protobuf, limited...).rounds(pick(o, 1, 2, 2))
		cases = append(cases, p.does(contest.Events, workload.Churn{Sort: workload.Heartbeats, Events: events}).done(o))
	}
	noise := o.plan(RandomBeatsCase, "random", n, workload.Protobuf, limited...).rounds(pick(o, 1, 2, 2))
	cases = append(cases, noise.does(contest.Events, workload.Churn{Sort: workload.Heartbeats, Events: events}).done(o))
	custom := o.plan("heartbeats of widgets, unstructured", "widgets", pick(o, 20, 2_000, 2_000), workload.JSON, slices.Concat(dynamic, []string{"floor"})...).rounds(pick(o, 1, 2, 2))
	return append(cases, custom.does(contest.Events, workload.Churn{Sort: workload.Heartbeats, Events: pick(o, 50, 10_000, 10_000)}).done(o))
}

func latencyCases(o Options) []Case {
	n := pick(o, 40, 10_000, 10_000)
	who := []string{"vedette", "vedette-pull", "vedette-field", "vedette-live", "client-go", "controller-runtime", "statedb", "floor"}
	paced := workload.Churn{Sort: workload.Heartbeats, Events: pick(o, 50, 4_000, 8_000), Rate: 1_000}
	cases := []Case{o.plan(PacedCase, "pods", n, workload.Protobuf, pick(o, who, limited, who)...).rounds(pick(o, 1, 5, 3)).does(contest.Latency, paced).done(o)}
	if o.Size == Short {
		return cases
	}
	burst := workload.Churn{Sort: workload.Heartbeats, Events: pick(o, 50, 20_000, 20_000)}
	return append(cases, o.plan("as fast as the client reads", "pods", n, workload.Protobuf, who...).rounds(pick(o, 1, 1, 2)).does(contest.Latency, burst).done(o))
}

func handlerCases(o Options) []Case {
	if o.Size == Short {
		return nil
	}
	var cases []Case
	for _, c := range []struct {
		name     string
		handlers int
	}{{"one handler", 1}, {"four handlers", 4}, {"sixteen handlers", 16}} {
		p := o.plan(c.name, "pods", pick(o, 40, 0, 10_000), workload.Protobuf, "vedette", "vedette-pull", "client-go", "controller-runtime", "statedb", "floor").rounds(pick(o, 1, 0, 2))
		p.Task.Handlers = c.handlers
		cases = append(cases, p.does(contest.Events, workload.Churn{Sort: workload.Heartbeats, Events: pick(o, 100, 0, 30_000)}).done(o))
	}
	return cases
}

func stuckCases(o Options) []Case {
	events := pick(o, 500, 100_000, 1_000_000)
	p := o.plan(count(events)+" events", "pods", pick(o, 20, 1_000, 1_000), workload.Protobuf, pick(o, pair, pair, []string{"vedette", "vedette-live", "client-go", "statedb"})...).rounds(1)
	p.Task.Memory = pick(o, uint64(1<<30), 2<<30, 6<<30)
	return []Case{p.does(contest.Stuck, workload.Churn{Sort: workload.Heartbeats, Events: events}).done(o)}
}

func restartCases(o Options) []Case {
	n := pick(o, 40, 100_000, 100_000)
	p := o.plan(count(n)+" pods", "pods", n, workload.Protobuf, pick(o,
		[]string{"vedette-warm", "vedette", "floor-warm"}, []string{"vedette-warm", "client-go", "floor-warm"}, []string{"vedette-warm", "vedette", "client-go", "controller-runtime", "floor-warm"})...).rounds(pick(o, 1, 1, 2))
	p.Prepare = true
	return []Case{p.done(o)}
}

func fleetCases(o Options) []Case {
	if o.Size == Short {
		return nil
	}
	n := pick(o, 3, 0, 50)
	p := o.plan(fmt.Sprintf("%d informers", n), "", pick(o, 5, 0, 20), workload.JSON, slices.Concat(dynamic, []string{"floor"})...)
	p.kinds = widgets(n)
	return []Case{p.done(o)}
}

func overheadCases(o Options) []Case {
	p := o.plan(SmallCase, "small", pick(o, 200, 100_000, 100_000), workload.Protobuf, "vedette", "client-go", "statedb").rounds(1)
	p.Task.Action = contest.Overhead
	return []Case{p.shelf(o)}
}

func commitCases(o Options) []Case { return stores(o, contest.Commit, pick(o, 200, 100_000, 100_000)) }

func besideCases(o Options) []Case { return stores(o, contest.Beside, pick(o, 200, 10_000, 10_000)) }

func stores(o Options, a contest.Action, n int) []Case {
	p := o.plan(SmallCase, "small", n, workload.Protobuf, pick(o, []string{"vedette", "vedette-live", "client-go", "statedb", "floor"}, []string{"vedette", "client-go", "statedb", "floor"}, []string{"vedette", "vedette-live", "client-go", "statedb", "floor"})...)
	p.Task.Action, p.Task.Events = a, pick(o, 100, 20_000, 50_000)
	return []Case{p.shelf(o)}
}

func queueCases(o Options) []Case {
	n := pick(o, 100, 100_000, 100_000)
	all := []string{"vedette", "client-go", "client-go-measured", "controller-runtime"}
	var cases []Case
	add := func(name string, a contest.Action, n, items int, more ...string) {
		p := o.plan(name, "", n, workload.JSON, slices.Concat(all, more)...)
		p.kinds = nil
		p.Task.Action, p.Task.Events = a, items
		cases = append(cases, p.shelf(o))
	}
	add(WorkersCase, contest.QueueWorkers, n, 10*n, "floor")
	add(PrioritiesCase, contest.QueuePriorities, n, 10*n, "floor") // it has no priorities
	if o.Size == Short {
		return cases
	}
	add("batches", contest.QueueBatches, n, 10*n, "floor")
	add("one goroutine", contest.QueueAlone, pick(o, 10, 0, 1000), 10*n, "floor")
	add("delayed items", contest.QueueDelayed, pick(o, 100, 0, 1_000_000), 0)
	return cases
}

// count formats a number with commas.
func count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", count(n/1000), n%1000)
}
