package informer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
)

// eventLog is a list of events in text form, for comparison.
type eventLog struct {
	mu    sync.Mutex
	lines []string
}

// add appends a line.
func (l *eventLog) add(format string, args ...any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
	return nil
}

// take returns the lines since the last call.
func (l *eventLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// handler returns a handler that adds its calls to the log.
func (l *eventLog) handler() informer.Handler[corev1.Pod] {
	return informer.Handler[corev1.Pod]{
		OnAdd: func(_ context.Context, p *corev1.Pod, initial bool) error {
			return l.add("add %s on %q initial=%v", p.Name, p.Spec.NodeName, initial)
		},
		OnUpdate: func(_ context.Context, old, p *corev1.Pod) error {
			return l.add("update %s %q -> %q", p.Name, old.Spec.NodeName, p.Spec.NodeName)
		},
		OnDelete: func(_ context.Context, p *corev1.Pod, missed bool) error {
			return l.add("delete %s missed=%v", p.Name, missed)
		},
	}
}

// handle registers a handler.
func (w *world) handle(inf *informer.Informer[corev1.Pod], h informer.Handler[corev1.Pod], cfg informer.HandlerConfig) *informer.Registration {
	w.t.Helper()
	r, err := inf.Handle(h, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// TestHandlers registers a handler before the first list and one after it. The late handler
// begins with the current objects. Both report deletions that the informer missed as missed.
func TestHandlers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"), podOn("b", "two"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		var early, late eventLog
		r := w.handle(inf, early.handler(), informer.HandlerConfig{})
		if isClosed(r.Synced()) {
			w.t.Error("the handler is synced before Run")
		}
		w.run(inf)
		<-r.Synced()
		first := []string{`add one on "a" initial=true`, `add two on "b" initial=true`}
		equal(w.t, "early", early.take(), first)
		w.moveTo("one", "c")
		w.advance(time.Second)
		w.delete("two")
		w.advance(time.Second)
		equal(w.t, "early", early.take(), []string{`update one "a" -> "c"`, `delete two missed=false`})
		r = w.handle(inf, late.handler(), informer.HandlerConfig{Name: "late"})
		<-r.Synced()
		equal(w.t, "late", late.take(), []string{`add one on "c" initial=true`})

		w.srv.Unavailable()
		w.delete("one")
		w.create(podOn("d", "new"))
		w.srv.Compact()
		if err := w.srv.Available(); err != nil {
			w.t.Fatal(err)
		}
		w.advance(5 * time.Minute)
		for _, events := range []*eventLog{&early, &late} {
			equal(w.t, "after an outage", events.take(), []string{`delete one missed=true`, `add new on "d" initial=false`})
		}
		if h, _ := inf.Health(); len(h.Handlers) != 2 || h.Handlers[1].Name != "late" || !h.Handlers[1].Synced || h.Handlers[1].Handled != 3 {
			w.t.Errorf("got health of handlers %+v, want 2, the second named late, synced, with 3 handled events", h.Handlers)
		}
	})
}

// TestHandlersGetEveryChange: by default, a handler gets each state of pods that are created,
// run, fail and are deleted while the handler sleeps.
func TestHandlersGetEveryChange(t *testing.T) {
	inWorld(t, func(w *world) {
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		got := map[string][]string{}
		note := func(name, state string) error {
			<-time.After(100 * time.Millisecond)
			got[name] = append(got[name], state)
			return nil
		}
		w.handle(inf, informer.Handler[corev1.Pod]{
			OnAdd:    func(_ context.Context, p *corev1.Pod, _ bool) error { return note(p.Name, "+"+string(p.Status.Phase)) },
			OnUpdate: func(_ context.Context, _, p *corev1.Pod) error { return note(p.Name, string(p.Status.Phase)) },
			OnDelete: func(_ context.Context, p *corev1.Pod, _ bool) error { return note(p.Name, "-"+string(p.Status.Phase)) },
		}, informer.HandlerConfig{})
		w.run(inf)
		<-inf.Synced()
		want := map[string][]string{}
		for i := range 20 {
			name := fmt.Sprint("pod-", i)
			p := pod(name)
			p.Status.Phase = corev1.PodPending
			w.create(p)
			for _, phase := range []corev1.PodPhase{corev1.PodRunning, corev1.PodFailed} {
				w.phase(name, phase)
			}
			w.delete(name)
			want[name] = []string{"+Pending", "Running", "Failed", "-Failed"}
		}
		w.advance(time.Minute)
		equal(w.t, "states", got, want)
	})
}

// phase sets the phase of a pod.
func (w *world) phase(name string, phase corev1.PodPhase) {
	w.t.Helper()
	obj, err := w.srv.Get(pod(name))
	if err != nil {
		w.t.Fatal(err)
	}
	obj.(*corev1.Pod).Status.Phase = phase
	if _, err := w.srv.UpdateStatus(obj); err != nil {
		w.t.Fatal(err)
	}
}

// TestHandlerThatHangs: a handler that hangs blocks neither other handlers nor the store.
// When it continues, it gets its backlog and then one folded change of each object. The log
// says once that it is behind, and so does its health. With store.Latest it gets the latest
// state.
func TestHandlerThatHangs(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("one"), pod("two"))
		var log strings.Builder // the two goroutines do not write to it concurrently
		logger := slog.New(slog.NewTextHandler(&log, nil))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Backlog: 10, Logger: logger}))
		var quick, slow, latest, filtered eventLog
		free := make(chan struct{})
		hang := func(events *eventLog) informer.Handler[corev1.Pod] {
			return informer.Handler[corev1.Pod]{OnEvent: func(ctx context.Context, ev informer.Event[corev1.Pod]) error {
				select {
				case <-free:
				case <-ctx.Done():
				}
				return events.add("%v %s x%d %v", ev.Kind(), ev.Key().Name, ev.Changes(), ev.CameAndWent())
			}}
		}
		moved := must(informer.FieldChanged[corev1.Pod]("spec.nodeName"))
		brief := informer.Where(func(e store.Entry) bool { return e.Key().Name != "one" })
		behind := w.handle(inf, hang(&slow), informer.HandlerConfig{Name: "slow"})
		w.handle(inf, hang(&latest), informer.HandlerConfig{Name: "latest", Subscription: informer.SubscriptionConfig{Mode: store.Latest}})
		w.handle(inf, hang(&filtered), informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{brief, moved}}})
		w.handle(inf, quick.handler(), informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Mode: store.Lossless}})
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		for i := range 100 {
			w.moveTo("one", fmt.Sprint("node-", i))
			synctest.Wait()
		}
		w.create(pod("brief"))
		w.advance(time.Second)
		w.delete("brief")
		w.advance(time.Second)
		if got := len(quick.take()); got != 104 {
			w.t.Errorf("the quick handler got %d events, want 104", got)
		}
		if got := slow.take(); len(got) != 0 {
			w.t.Errorf("the slow handler got %v while it hangs, want nothing", got)
		}
		h, _ := inf.Health()
		if got, want := h.Handlers[0].Lag, (store.Lag{Behind: true, Episodes: 1, Folded: 92}); got != want || h.Handlers[1].Lag != (store.Lag{}) {
			w.t.Errorf("got lags %+v and %+v, want %+v and none", got, h.Handlers[1].Lag, want)
		}
		close(free)
		w.advance(time.Second)
		want := []string{"Added one x1 false", "Added two x1 false"}
		for range 10 {
			want = append(want, "Updated one x1 false")
		}
		equal(w.t, "slow", slow.take(), append(want, "Deleted brief x2 true", "Updated one x90 false"))
		equal(w.t, "latest", latest.take(), []string{"Added one x1 false", "Added two x1 false", "Updated one x1 false"})
		equal(w.t, "filtered", filtered.take(), []string{"Added two x1 false", "Deleted brief x2 true"})
		if h, _ := inf.Health(); h.Handlers[0].Lag.Behind || inf.Stats().Folded != 2*92 {
			w.t.Errorf("got lag %+v, %d folded, want not behind, %d folded", h.Handlers[0].Lag, inf.Stats().Folded, 2*92)
		}
		var lines []string
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, "consumer=slow ") {
				_, line, _ = strings.Cut(line, "level=")
				line, _, _ = strings.Cut(line, " resource")
				lines = append(lines, line)
			}
		}
		equal(w.t, "logged", lines, []string{
			`WARN msg="informer: a consumer is too slow; changes of an object are folded until it has caught up"`, `INFO msg="informer: a consumer has caught up"`,
		})
		w.moveTo("one", "last")
		w.advance(time.Second)
		equal(w.t, "slow again", slow.take(), []string{"Updated one x1 false"})
		behind.Remove()
	})
}

// TestResync: a resync repeats the last state of each object that the handler got, and sends
// no request to the server.
func TestResync(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Resync: time.Minute}))
		var often, never, filtered eventLog
		moved, err := informer.FieldChanged[corev1.Pod]("spec.nodeName")
		if err != nil {
			w.t.Fatal(err)
		}
		w.handle(inf, filtered.handler(), informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{moved}}})
		var events []informer.Event[corev1.Pod]
		w.handle(inf, often.handler(), informer.HandlerConfig{})
		w.handle(inf, never.handler(), informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Resync: -1}})
		w.handle(inf, informer.Handler[corev1.Pod]{OnEvent: func(_ context.Context, ev informer.Event[corev1.Pod]) error {
			events = append(events, ev)
			return nil
		}}, informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Resync: 90 * time.Second, Mode: store.EveryChange}})
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		requests := len(w.srv.Requests())
		w.moveTo("one", "b")
		w.advance(2*time.Minute + 30*time.Second)
		equal(w.t, "often", often.take(), []string{`add one on "a" initial=true`, `update one "a" -> "b"`, `update one "b" -> "b"`, `update one "b" -> "b"`})
		equal(w.t, "with a filter of updates", filtered.take(), []string{`add one on "a" initial=true`, `update one "a" -> "b"`, `update one "b" -> "b"`, `update one "b" -> "b"`})
		equal(w.t, "never", never.take(), []string{`add one on "a" initial=true`, `update one "a" -> "b"`})
		if n := len(events); n != 3 || !events[2].Resync() || events[1].Resync() {
			w.t.Errorf("got %d events of the third handler: %v, want 3, and only the last a resync", n, events)
		}
		if n := len(w.srv.Requests()); n != requests {
			w.t.Errorf("got %d requests for a resync, want none", n-requests)
		}
	})
}

// TestHandlerFailures: errors are retried as often as the configuration says. Panics are
// reported with their stack and handled according to the policy.
func TestHandlerFailures(t *testing.T) {
	for _, c := range []struct {
		name      string
		cfg       informer.HandlerConfig
		fail      func(try int) error // for the first pod
		tries     int
		reports   int
		continues bool // to the second pod
		hasStack  bool
	}{
		{"an error without retries", informer.HandlerConfig{}, func(int) error { return errors.New("no") }, 1, 1, true, false},
		{"an error is retried", informer.HandlerConfig{Retry: 2}, func(int) error { return errors.New("no") }, 3, 3, true, false},
		{"an error that stops", informer.HandlerConfig{Retry: -1}, func(try int) error {
			if try < 20 {
				return errors.New("no")
			}
			return nil
		}, 20, 19, true, false},
		{"a panic is skipped", informer.HandlerConfig{Retry: 5, Panics: informer.SkipOnPanic}, func(int) error { panic("at the disco") }, 1, 1, true, true},
		{"a panic counts as an error", informer.HandlerConfig{Retry: 2}, func(int) error { panic("at the disco") }, 3, 3, true, true},
		{"a panic without retries", informer.HandlerConfig{}, func(int) error { panic("at the disco") }, 1, 1, true, true},
		{"a panic stops the handler", informer.HandlerConfig{Retry: 5, Panics: informer.StopOnPanic}, func(int) error { panic("at the disco") }, 1, 1, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.create(pod("first"), pod("second"))
				inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Logger: slog.New(slog.DiscardHandler)}))
				var reports []error
				c.cfg.Report = func(err error) {
					reports = append(reports, err)
					if len(reports) == 1 {
						panic("in Report")
					}
				}
				tries, second := 0, false
				r := w.handle(inf, informer.Handler[corev1.Pod]{OnAdd: func(_ context.Context, p *corev1.Pod, _ bool) error {
					if p.Name == "second" {
						second = true
						return nil
					}
					tries++
					return c.fail(tries)
				}}, c.cfg)
				var other eventLog
				w.handle(inf, other.handler(), informer.HandlerConfig{})
				w.run(inf)
				w.advance(time.Hour)
				if tries != c.tries || len(reports) != c.reports || second != c.continues {
					w.t.Errorf("got %d tries, %d reports, second pod handled %v, want %d, %d, %v", tries, len(reports), second, c.tries, c.reports, c.continues)
				}
				if got := other.take(); len(got) != 2 {
					w.t.Errorf("another handler got %v, want 2 events", got)
				}
				var p *informer.PanicError
				if errors.As(reports[0], &p) != c.hasStack || c.hasStack && !strings.Contains(string(p.Stack), "handler_test.go") {
					w.t.Errorf("got report %v, want a panic with its stack: %v", reports[0], c.hasStack)
				}
				if ended := isClosed(r.Done()); ended == c.continues || (r.Err() != nil) == c.continues {
					w.t.Errorf("got ended %v, error %v, want the handler to continue: %v", ended, r.Err(), c.continues)
				}
			})
		})
	}
}

// TestRemove: a removed handler is no longer called. A handler may remove itself. Done reports
// the end of a call in progress.
func TestRemove(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("one"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		never := w.handle(inf, (&eventLog{}).handler(), informer.HandlerConfig{})
		never.Remove()
		<-never.Done()
		var self *informer.Registration
		calls := 0
		self = w.handle(inf, informer.Handler[corev1.Pod]{OnAdd: func(context.Context, *corev1.Pod, bool) error {
			calls++
			self.Remove()
			return nil
		}}, informer.HandlerConfig{})
		entered, leave := make(chan struct{}), make(chan struct{})
		busy := w.handle(inf, informer.Handler[corev1.Pod]{OnAdd: func(ctx context.Context, _ *corev1.Pod, _ bool) error {
			close(entered)
			<-leave
			if ctx.Err() == nil {
				w.t.Error("the context of the removed handler is not done")
			}
			return nil
		}}, informer.HandlerConfig{})
		w.run(inf)
		<-self.Done()
		<-entered
		busy.Remove()
		busy.Remove()
		synctest.Wait()
		if isClosed(busy.Done()) {
			w.t.Error("Done is closed while the handler runs")
		}
		close(leave)
		<-busy.Done()
		w.create(pod("two"))
		w.advance(time.Second)
		if calls != 1 {
			w.t.Errorf("got %d calls, want 1", calls)
		}
		if h, _ := inf.Health(); len(h.Handlers) != 0 {
			w.t.Errorf("got handlers %+v, want none", h.Handlers)
		}
	})
}

// TestBatches: a batch handler gets the events since its last call, up to BatchSize.
func TestBatches(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 25 {
			w.create(pod(fmt.Sprintf("pod-%02d", i)))
		}
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		var sizes []int
		w.handle(inf, informer.Handler[corev1.Pod]{OnBatch: func(_ context.Context, events []informer.Event[corev1.Pod]) error {
			sizes = append(sizes, len(events))
			return nil
		}}, informer.HandlerConfig{BatchSize: 10})
		var names []string
		w.handle(inf, informer.Handler[corev1.Pod]{OnChanges: func(_ context.Context, changes []store.Change) error {
			names = append(names, fmt.Sprint(len(changes), " from ", changes[0].New.Key().Name))
			return nil
		}}, informer.HandlerConfig{BatchSize: 10})
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		equal(w.t, "sizes", sizes, []int{10, 10, 5})
		equal(w.t, "changes", names, []string{"10 from pod-00", "10 from pod-10", "5 from pod-20"})
	})
}

// TestIllegalHandlers: a handler needs exactly one kind of function, a legal batch size and an
// informer that has not stopped.
func TestIllegalHandlers(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	event := func(context.Context, informer.Event[corev1.Pod]) error { return nil }
	for name, h := range map[string]informer.Handler[corev1.Pod]{
		"no function":           {},
		"OnEvent and OnChanges": {OnEvent: event, OnChanges: func(context.Context, []store.Change) error { return nil }},
		"OnEvent and OnBatch":   {OnEvent: event, OnBatch: func(context.Context, []informer.Event[corev1.Pod]) error { return nil }},
	} {
		if _, err := inf.Handle(h, informer.HandlerConfig{}); err == nil {
			t.Errorf("%s: Handle succeeded, want an error", name)
		}
	}
	if _, err := inf.Handle(informer.Handler[corev1.Pod]{OnEvent: event}, informer.HandlerConfig{BatchSize: -1}); err == nil {
		t.Error("Handle succeeded with a negative BatchSize, want an error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inf.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := inf.Handle(informer.Handler[corev1.Pod]{OnEvent: event}, informer.HandlerConfig{}); !errors.Is(err, informer.ErrStopped) {
		t.Errorf("Handle after Run: got %v, want ErrStopped", err)
	}
}

// TestEventsAfterRun: a subscriber gets all events that were applied when Run returned, even
// if it reads them later.
func TestEventsAfterRun(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("one"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		stop := w.start(inf)
		<-inf.Synced()
		ended := make(chan struct{})
		n := 0
		w.work.Go(func() {
			for range inf.Events(w.ctx) {
				if n++; n == 1 {
					<-ended
				}
			}
		})
		w.advance(time.Second)
		for i := range 50 {
			w.moveTo("one", fmt.Sprint("node-", i))
		}
		w.advance(time.Second)
		stop()
		close(ended)
		w.advance(time.Second)
		if n != 51 {
			w.t.Errorf("got %d events, want 51", n)
		}
	})
}
