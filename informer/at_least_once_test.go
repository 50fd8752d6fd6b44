package informer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
)

// deliveries are the events that a consumer of AtLeastOnce got, with their acknowledgments.
type deliveries struct {
	mu   sync.Mutex
	got  []string
	acks map[string]func()
}

func (d *deliveries) add(ev informer.Event[corev1.Pod], acknowledge func()) error {
	p, err := ev.Object()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	name := fmt.Sprintf("%v %s %s", ev.Kind(), p.Name, p.Spec.NodeName)
	d.got = append(d.got, name)
	if d.acks == nil {
		d.acks = map[string]func(){}
	}
	d.acks[name] = acknowledge
	return nil
}

func (d *deliveries) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	got := d.got
	d.got = nil
	return got
}

func (d *deliveries) acknowledge(names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		d.acks[name]()
	}
}

// atLeastOnce starts an informer with a file and its consumer. stop ends both.
func (w *world) atLeastOnce(path string) (d *deliveries, out *bytes.Buffer, stop func()) {
	d, out = &deliveries{}, &bytes.Buffer{}
	cfg := informer.Config{Logger: slog.New(slog.NewTextHandler(out, nil)), WarmStart: informer.WarmStart{Path: path, Every: time.Minute, AtLeastOnce: true}}
	inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
	consumed := make(chan struct{})
	ctx, cancel := context.WithCancel(w.ctx)
	w.work.Go(func() {
		defer close(consumed)
		if err := inf.AtLeastOnce(ctx, informer.SubscriptionConfig{}, d.add); err != nil && !errors.Is(err, context.Canceled) {
			w.t.Errorf("AtLeastOnce: got %v, want nil", err)
		}
	})
	end := w.start(inf)
	w.advance(time.Second)
	return d, out, func() {
		end()
		cancel()
		<-consumed
	}
}

// killed returns a copy of the file, as a killed process would leave it.
func (w *world) killed(path string) string {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	left := filepath.Join(w.t.TempDir(), "left")
	if err := os.WriteFile(left, text, 0o600); err != nil {
		w.t.Fatal(err)
	}
	return left
}

// TestAtLeastOnce: the file holds no state later than the oldest event without an
// acknowledgment, so each such event is delivered again after a kill, and none is skipped.
func TestAtLeastOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.createIdentity()
		w.create(podOn("0", "a"), podOn("0", "b"))
		path := filepath.Join(w.t.TempDir(), "pods.snapshot")
		d, out, stop := w.atLeastOnce(path)
		equal(w.t, "first events", d.take(), []string{"Added a 0", "Added b 0"})
		first := w.killed(path) // exists before the first event
		d.acknowledge("Added a 0", "Added b 0")
		for _, node := range []string{"1", "2"} {
			w.moveTo("a", node)
			w.moveTo("b", node)
		}
		w.advance(time.Second)
		d.acknowledge("Updated b 2", "Updated a 2", "Updated a 2", "Updated b 1") // a 1 is missing
		w.advance(10 * time.Minute)
		second := w.killed(path)
		if !strings.Contains(out.String(), "has not acknowledged an event") {
			w.t.Errorf("got log %q, want a line about an event that is not acknowledged", out)
		}
		d.acknowledge("Updated a 1")
		w.advance(2 * time.Minute)
		w.delete("b")
		w.advance(time.Second)
		third := w.killed(path)
		stop()
		for name, c := range map[string]struct {
			left string
			want []string
		}{
			"before all":              {first, []string{"Added a 0", "Added b 0", "Updated a 1", "Updated b 1", "Updated a 2", "Updated b 2", "Deleted b 2"}},
			"oldest not acknowledged": {second, []string{"Added a 0", "Added b 0", "Updated a 1", "Updated b 1", "Updated a 2", "Updated b 2", "Deleted b 2"}},
			"only the deletion":       {third, []string{"Added a 2", "Added b 2", "Deleted b 2"}},
			"regular end":             {path, []string{"Added a 2", "Added b 2", "Deleted b 2"}},
		} {
			again, _, stop := w.atLeastOnce(c.left)
			equal(w.t, name, again.take(), c.want)
			stop()
		}
	})
}

// TestAtLeastOnceAfterRegularEnd: when everything is acknowledged, the end of Run writes the
// last state.
func TestAtLeastOnceAfterRegularEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.createIdentity()
		w.create(podOn("0", "a"))
		path := filepath.Join(w.t.TempDir(), "pods.snapshot")
		d, _, stop := w.atLeastOnce(path)
		w.moveTo("a", "1")
		w.advance(time.Second)
		d.acknowledge("Added a 0", "Updated a 1")
		stop()
		again, _, stop := w.atLeastOnce(path)
		equal(w.t, "events", again.take(), []string{"Added a 1"})
		stop()
	})
}

// TestAtLeastOnceWaitsForItsConsumer: changes since the file reach a consumer that comes
// long after Run. Run and the file wait for it.
func TestAtLeastOnceWaitsForItsConsumer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.createIdentity()
		w.create(podOn("0", "a"))
		path := filepath.Join(w.t.TempDir(), "pods.snapshot")
		_, _, stop := w.atLeastOnce(path)
		stop()
		w.moveTo("a", "1")
		w.moveTo("a", "2")
		out := &bytes.Buffer{}
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Logger: slog.New(slog.NewTextHandler(out, nil)), WarmStart: informer.WarmStart{Path: path, Every: time.Minute, AtLeastOnce: true}}))
		w.run(inf)
		w.advance(3 * time.Minute)
		if !strings.Contains(out.String(), "no consumer has come") {
			w.t.Errorf("got log %q, want a line about the missing consumer", out)
		}
		d := &deliveries{}
		failed := errors.New("on purpose")
		err := inf.AtLeastOnce(w.ctx, informer.SubscriptionConfig{}, func(ev informer.Event[corev1.Pod], acknowledge func()) error {
			if err := d.add(ev, acknowledge); err != nil || len(d.got) < 3 {
				return err
			}
			return failed
		})
		equal(w.t, "events", d.take(), []string{"Added a 0", "Updated a 1", "Updated a 2"})
		if !errors.Is(err, failed) {
			w.t.Errorf("AtLeastOnce: got %v, want the error of the function", err)
		}
		d.acknowledge("Added a 0", "Updated a 1", "Updated a 2")
		if err := inf.AtLeastOnce(w.ctx, informer.SubscriptionConfig{}, d.add); !errors.Is(err, informer.ErrSecondConsumer) {
			w.t.Errorf("the second call: got %v, want ErrSecondConsumer", err)
		}
		w.moveTo("a", "3")
		w.advance(3 * time.Minute)
		if !strings.Contains(out.String(), "ended before the informer") {
			w.t.Errorf("got log %q, want a line about the consumer that ended", out)
		}
		again, _, stop := w.atLeastOnce(w.killed(path))
		equal(w.t, "after a kill", again.take(), []string{"Added a 0", "Updated a 1", "Updated a 2", "Updated a 3"})
		stop()
	})
}

// TestAtLeastOnceNeedsAFile: without the setting, AtLeastOnce refuses to run, and the
// setting needs a file.
func TestAtLeastOnceNeedsAFile(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	if err := inf.AtLeastOnce(t.Context(), informer.SubscriptionConfig{}, (&deliveries{}).add); !errors.Is(err, informer.ErrNothingKept) {
		t.Errorf("got %v, want ErrNothingKept", err)
	}
	if err := constructorError(informer.Watch[corev1.Pod](cluster, informer.Config{WarmStart: informer.WarmStart{AtLeastOnce: true}})); err == nil || !strings.Contains(err.Error(), "WarmStart.Path") {
		t.Errorf("got %v, want an error that names WarmStart.Path", err)
	}
}
