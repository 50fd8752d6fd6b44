package chaos_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/dice"
	"github.com/vedette-io/vedette/internal/patience"
)

func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{})
	slog.SetDefault(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m, controlplane.IgnoreSpawner())
}

// group has informers of all engines with the same view.
type group struct {
	view
	history   *history
	bodies    *bodies
	followers []*follower // in the order of engines
}

// trial is the state of one test run.
type trial struct {
	*stage
	writers []*writer
	groups  []*group
	tally   map[string]*tally // by engine
}

// tally counts phases of informers.
type tally struct{ Phases, Lists, Connected, Whole, Calls int }

func newTrial(t *testing.T) *trial {
	t.Helper()
	tr := &trial{stage: newStage(t), tally: map[string]*tally{}}
	for _, engine := range engines {
		tr.tally[engine] = &tally{}
	}
	for _, k := range []kind{podKind, mapKind, nodeKind, widgetKind} {
		h := newHistory()
		tr.writers = append(tr.writers, &writer{
			kind: k, client: tr.objects, random: dice.Of(t, k.gvr.Resource), history: h, objects: map[string]*unstructured.Unstructured{},
		})
		forms := map[string][]form{"pods": {typed}, "configmaps": {typed, dynamik, partial}, "nodes": {typed}, "widgets": {dynamik, partial}}
		for _, f := range forms[k.gvr.Resource] {
			tr.follow(view{gvr: k.gvr, form: f}, h)
		}
		if k.gvr == mapKind.gvr {
			tr.follow(view{gvr: k.gvr, form: typed, selected: true}, h)
		}
	}
	return tr
}

// follow adds informers of all engines.
func (tr *trial) follow(v view, h *history) {
	tr.t.Helper()
	g := &group{view: v, history: h, bodies: &bodies{first: map[revision]any{}}}
	for _, engine := range engines {
		cfg, r := tr.config(engine)
		g.followers = append(g.followers, newFollower(tr.t, v, engine, cfg, r, g.bodies))
	}
	tr.groups = append(tr.groups, g)
}

func (tr *trial) each(do func(*group, *follower)) {
	for _, g := range tr.groups {
		for _, f := range g.followers {
			do(g, f)
		}
	}
}

// TestChaos changes objects and injects faults, with informers of client-go and ours side
// by side on one control plane. Each handler must get revisions of an object in the order
// in which they were written, and no others. An informer that has not listed must report
// every revision; so must ours if no list was necessary. After the faults end, all
// informers must have the same objects.
func TestChaos(t *testing.T) {
	tr := newTrial(t)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	tr.each(func(_ *group, f *follower) { running.Go(func() { f.inf.RunWithContext(ctx) }) })
	tr.settle(ctx)
	began, n := time.Now(), 0
	for ; !t.Failed() && (n < int(moods) || time.Since(began) < *length); n++ { // an input: the length of the disturbance
		m := mood(n)
		if m >= moods {
			m = mild + mood(tr.random.IntN(int(moods-mild)))
		}
		tr.phase(ctx, m)
	}
	for _, engine := range engines {
		t.Logf("%s: %+v", engine, *tr.tally[engine])
	}
	t.Logf("%d phases in %v; faults: %v", n, time.Since(began).Round(time.Second), tr.struck)
	tr.checkWild()
}

// checkWild checks that there were enough faults, and not too many.
func (tr *trial) checkWild() {
	tr.t.Helper()
	for engine, n := range tr.tally {
		if n.Connected == 0 || n.Whole == 0 || n.Lists == 0 {
			tr.t.Errorf("%s: %+v: too many faults, or too few", engine, *n)
		}
	}
	if tr.struck["kill"] == 0 || tr.struck["compact"] == 0 {
		tr.t.Errorf("no server was killed, or no history was compacted: %v", tr.struck)
	}
}

// phase changes objects and injects faults, ends all faults, and checks the events that
// handlers got.
func (tr *trial) phase(ctx context.Context, m mood) {
	tr.begin()
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for _, w := range tr.writers {
		writing.Go(func() {
			if err := w.run(ctx, stop); err != nil {
				tr.t.Errorf("write: %v", err)
			}
		})
	}
	tr.happen(ctx, m)
	close(stop)
	writing.Wait()
	tr.heal()
	began := time.Now()
	tr.settle(ctx)
	if took := time.Since(began); took > 10*time.Second {
		tr.t.Logf("after a %v phase the informers settled within %v", m, took.Round(time.Second))
	}
	tr.check(m)
}

// happen injects faults while objects change.
func (tr *trial) happen(ctx context.Context, m mood) {
	strikes, pause := 3, time.Second
	if *length > 0 {
		strikes, pause = 3+tr.random.IntN(8), 3*time.Second
	}
	for n := range strikes {
		<-time.After(time.Duration(tr.random.Int64N(int64(pause)))) // an input: the pace of the disturbance
		if n == 1 {
			tr.each(func(_ *group, f *follower) { f.join() })
		}
		if m == outage && n == 1 {
			tr.kill(ctx)
			tr.note("compact")
			tr.must(tr.plane.Compact(ctx))
			continue
		}
		tr.strike(ctx, m)
	}
	<-time.After(time.Duration(tr.random.Int64N(int64(pause)))) // an input: the pace of the disturbance
}

// begin begins a phase.
func (tr *trial) begin() {
	for _, w := range tr.writers {
		w.history.begin()
	}
	tr.each(func(g *group, f *follower) {
		f.begin()
		g.bodies.begin()
	})
}

// settle waits until all informers have the current objects, and none is in the middle of a
// list: a list that began in this phase could fold revisions of the next. An informer
// follows the server if it shows a new revision without a list. Informers of client-go wait
// up to a minute between attempts, and close a silent connection after 45 seconds, so there
// are several waits.
func (tr *trial) settle(ctx context.Context) {
	tr.t.Helper()
	const rounds = 10
	for range rounds {
		lists := map[*follower]int{}
		tr.each(func(_ *group, f *follower) { lists[f] = f.faults.listed() })
		for _, w := range tr.writers {
			tr.must(w.touch(ctx))
		}
		tr.current()
		still := true
		tr.each(func(_ *group, f *follower) { still = still && lists[f] == f.faults.listed() })
		if still {
			return
		}
	}
	tr.t.Fatalf("informers list again and again: in each of %d rounds", rounds)
}

// current waits until all informers have the current objects. Each informer may need the
// longest pause of client-go, and each has a wait of its own.
func (tr *trial) current() {
	tr.t.Helper()
	tr.each(func(g *group, f *follower) {
		patience.Until(tr.t, f.name+" has the current objects", func() string { return f.lacks(g.history.now(g.selected)) })
	})
}

// check compares the stores and the events that handlers got.
func (tr *trial) check(m mood) {
	tr.t.Helper()
	for _, w := range tr.writers {
		tr.checkWriter(w)
	}
	for _, g := range tr.groups {
		steps, before := g.history.told(g.selected)
		first := g.followers[0]
		for _, f := range g.followers {
			whole, connected := f.judge(steps, before, m <= mild && f.engine != stock)
			tr.tally[f.engine].add(f, whole, connected)
			if f == first {
				continue
			}
			f.compare(first)
			if connected && first.connected() {
				tr.checkSame(first, f, steps)
			}
		}
	}
}

// checkWriter checks that the writer's objects are those of the server.
func (tr *trial) checkWriter(w *writer) {
	tr.t.Helper()
	list, err := w.client.Resource(w.gvr).List(tr.t.Context(), metav1.ListOptions{})
	tr.must(err)
	has := map[string]revision{}
	for i := range list.Items {
		r, err := revisionOf(&list.Items[i])
		tr.must(err)
		has[keyOf(&list.Items[i])] = r
	}
	if problem := differ("the server", has, w.history.now(false)); problem != "" {
		tr.t.Errorf("%s: %s", w.gvr.Resource, problem)
	}
}

// add counts a phase of an informer.
func (n *tally) add(f *follower, whole, connected bool) {
	n.Phases++
	n.Lists += f.faults.listed() - f.lists
	n.Calls += f.main.count()
	if connected {
		n.Connected++
	}
	if whole {
		n.Whole++
	}
}

// checkSame checks that two handlers got the same events, versions of deletions included.
func (tr *trial) checkSame(a, b *follower, steps map[string][]revision) {
	tr.t.Helper()
	for key := range steps {
		if !a.main.same(b.main, key) {
			tr.t.Errorf("%s: events of %s: %v; %s: %v", a.name, key, a.main.steps(key), b.name, b.main.steps(key))
		}
	}
}
