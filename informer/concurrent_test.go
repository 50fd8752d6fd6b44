package informer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// operations are calls of the methods of an object, by method name.
type operations map[string]func(r *rand.Rand)

// checkComplete checks that there is an operation for each public method of a type, and for
// each of the named functions, which take the type as their first argument.
func (m operations) checkComplete(t *testing.T, of reflect.Type, functions ...string) {
	t.Helper()
	want := functions
	for i := range of.NumMethod() {
		want = append(want, of.Method(i).Name)
	}
	slices.Sort(want)
	equal(t, of.String(), slices.Sorted(maps.Keys(m)), want)
}

// run executes random operations on several goroutines concurrently: count on each.
func (m operations) run(w *world, random *rand.Rand, goroutines, count int) {
	names := slices.Sorted(maps.Keys(m))
	var all sync.WaitGroup
	for range goroutines {
		r := split(random)
		all.Go(func() {
			for range count {
				m[names[r.IntN(len(names))]](r)
				<-time.After(time.Duration(r.IntN(3)) * time.Millisecond)
			}
		})
	}
	all.Wait()
}

// split returns a source for another goroutine.
func split(random *rand.Rand) *rand.Rand {
	return rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
}

// concurrentUse is an informer that many goroutines use concurrently, with the clusters and
// namespaces that it must follow in the end.
type concurrentUse struct {
	w    *world
	inf  *informer.Informer[corev1.Pod]
	rows [4]struct { // one for each cluster; the mutex orders the calls for the cluster
		mu    sync.Mutex
		added bool
	}
	names      sync.Mutex
	namespaces []string
}

// checkAllowed checks that an error is nil, one of allowed, or an error of a stopped informer
// or a canceled context.
func checkAllowed(t *testing.T, err error, allowed ...error) {
	t.Helper()
	for _, e := range append(allowed, nil, informer.ErrStopped, context.Canceled, context.DeadlineExceeded) {
		if errors.Is(err, e) {
			return
		}
	}
	t.Errorf("got error %v, want nil, ErrStopped or an error of the context", err)
}

// shortContext returns a context that ends within 3 ms and may already be done.
func (c *concurrentUse) shortContext(r *rand.Rand) (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.w.ctx, time.Duration(r.IntN(4))*time.Millisecond)
}

func (c *concurrentUse) setNamespaces(r *rand.Rand) {
	c.names.Lock()
	defer c.names.Unlock()
	sets := [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"b", "c"}, {"a", "b", "c", "d"}}
	set := sets[r.IntN(len(sets))]
	ctx, done := c.shortContext(r)
	defer done()
	err := c.inf.SetNamespaces(ctx, set...)
	if checkAllowed(c.w.t, err); err == nil {
		c.namespaces = set
	}
}

func (c *concurrentUse) addCluster(r *rand.Rand) {
	n := r.IntN(len(c.rows))
	row := &c.rows[n]
	row.mu.Lock()
	defer row.mu.Unlock()
	err := c.inf.AddCluster(fmt.Sprint("c", n), c.w.cluster)
	switch {
	case row.added && (err == nil || !strings.Contains(err.Error(), "already") && !errors.Is(err, informer.ErrStopped)):
		c.w.t.Errorf("AddCluster of c%d, which was added before: got %v, want an error that says so", n, err)
	case !row.added:
		if checkAllowed(c.w.t, err); err == nil {
			row.added = true
		}
	}
}

func (c *concurrentUse) removeCluster(r *rand.Rand) {
	n := r.IntN(len(c.rows))
	row := &c.rows[n]
	row.mu.Lock()
	defer row.mu.Unlock()
	ctx, done := c.shortContext(r)
	defer done()
	err := c.inf.RemoveCluster(ctx, fmt.Sprint("c", n))
	if row.added {
		if checkAllowed(c.w.t, err); err == nil {
			row.added = false
		}
	} else if err == nil {
		c.w.t.Errorf("RemoveCluster succeeded for c%d, which was not added, want an error", n)
	}
}

// churn creates or deletes a random pod on the server.
func (c *concurrentUse) churn(r *rand.Rand) {
	p := podIn([]string{"a", "b", "c", "d"}[r.IntN(4)], fmt.Sprint("pod-", r.IntN(6)))
	if r.IntN(2) == 0 {
		_, _ = c.w.srv.Create(p) // it may exist already
	} else {
		_ = c.w.srv.Delete(p) // it may not exist
	}
}

// consume reads some events, and then leaves the loop.
func (c *concurrentUse) consume(r *rand.Rand, events func(context.Context) func(func(informer.Event[corev1.Pod]) bool)) {
	ctx, done := c.shortContext(r)
	defer done()
	n := r.IntN(20)
	for ev := range events(ctx) {
		if _, err := ev.Object(); err != nil {
			c.w.t.Error(err)
		}
		if n--; n < 0 {
			break
		}
	}
}

// written returns a random write for WaitForWrite, Follows and Shows.
func (c *concurrentUse) written(r *rand.Rand) kube.Written {
	return kube.Written{
		Cluster: c.w.cluster, Resource: kube.Resource{Name: "pods", Version: "v1"}, UID: "u", Version: wire.Version(r.IntN(100)),
		Key: wire.Key{Namespace: "a", Name: "pod-1"}, Effect: kube.Effect(r.IntN(2)),
	}
}

// operations returns the operations of an informer, and changes of the server.
func (c *concurrentUse) operations() operations {
	inf := c.inf
	return operations{
		"AddCluster": c.addCluster, "RemoveCluster": c.removeCluster, "SetNamespaces": c.setNamespaces,
		"Handle": func(r *rand.Rand) {
			reg, err := inf.Handle(informer.Handler[corev1.Pod]{OnEvent: func(context.Context, informer.Event[corev1.Pod]) error { return nil }},
				informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Mode: store.Mode(r.IntN(3))}})
			if checkAllowed(c.w.t, err); err == nil {
				<-time.After(time.Duration(r.IntN(5)) * time.Millisecond)
				reg.Remove()
				<-reg.Done()
			}
		},
		"Events": func(r *rand.Rand) {
			c.consume(r, func(ctx context.Context) func(func(informer.Event[corev1.Pod]) bool) { return inf.Events(ctx) })
		},
		"Changes": func(r *rand.Rand) {
			c.consume(r, func(ctx context.Context) func(func(informer.Event[corev1.Pod]) bool) {
				return inf.Changes(ctx, informer.SubscriptionConfig{Mode: store.Mode(r.IntN(3)), Resync: time.Millisecond})
			})
		},
		"Snapshot": func(*rand.Rand) {
			for range inf.Snapshot().All() {
			}
		},
		"In":   func(*rand.Rand) { inf.In(inf.View()).Records().Len() },
		"View": func(*rand.Rand) { inf.View() },
		"IndexBy": func(*rand.Rand) {
			x := informer.IndexBy(inf, func(p *corev1.Pod) string { return p.Namespace })
			for range x.Get(inf.Snapshot(), "a") {
			}
		},
		"IndexByEach": func(*rand.Rand) {
			informer.IndexByEach(inf, func(p *corev1.Pod) []string { return []string{p.Name, p.Namespace} }).Len(inf.Snapshot(), "a")
		},
		"KeepObject": func(*rand.Rand) {
			for e := range inf.Snapshot().Records().All() {
				inf.KeepObject(e, new(corev1.Pod))
			}
		},
		"IndexRecords": func(*rand.Rand) {
			inf.IndexRecords(func(dst []string, rec *wire.Record, _ any) []string { return append(dst, rec.Name) })
		},
		"IndexField": func(*rand.Rand) {
			must(informer.IndexField(inf, "metadata.name")).Len(inf.Snapshot(), "pod-1")
		},
		"KeepsUnacknowledged": func(*rand.Rand) { inf.KeepsUnacknowledged() },
		"AtLeastOnce": func(*rand.Rand) {
			err := inf.AtLeastOnce(c.w.ctx, informer.SubscriptionConfig{}, func(informer.Event[corev1.Pod], func()) error { return nil })
			if !errors.Is(err, informer.ErrNothingKept) {
				c.w.t.Errorf("AtLeastOnce without a snapshot file: got %v, want ErrNothingKept", err)
			}
		},
		"WaitFor": func(r *rand.Rand) {
			ctx, done := c.shortContext(r)
			defer done()
			checkAllowed(c.w.t, inf.WaitFor(ctx, wire.Version(r.IntN(100))))
		},
		"WaitForSync": func(r *rand.Rand) {
			ctx, done := c.shortContext(r)
			defer done()
			checkAllowed(c.w.t, inf.WaitForSync(ctx))
		},
		"WaitForWrite": func(r *rand.Rand) {
			ctx, done := c.shortContext(r)
			defer done()
			checkAllowed(c.w.t, inf.WaitForWrite(ctx, c.written(r)))
		},
		"Follows":      func(r *rand.Rand) { inf.Follows(c.written(r)) },
		"Shows":        func(r *rand.Rand) { inf.Shows(c.written(r)) },
		"HasSelectors": func(*rand.Rand) { inf.HasSelectors() },
		"Health":       func(*rand.Rand) { h, _ := inf.Health(); _ = h.Ready() },
		"Stats":        func(*rand.Rand) { inf.Stats() },
		"Info":         func(*rand.Rand) { inf.Info() },
		"Synced":       func(*rand.Rand) { inf.Synced() },
		"Run": func(r *rand.Rand) {
			ctx, done := c.shortContext(r)
			defer done()
			if err := inf.Run(ctx); !errors.Is(err, informer.ErrRunTwice) {
				c.w.t.Errorf("second Run: got %v, want ErrRunTwice", err)
			}
		},
		"TryRun": func(r *rand.Rand) {
			ctx, done := c.shortContext(r)
			defer done()
			if ran, err := inf.TryRun(ctx); ran || err != nil {
				c.w.t.Errorf("TryRun after Run: got %v, %v, want false, nil", ran, err)
			}
		},
		"Release":  func(*rand.Rand) { inf.Release() },
		"Released": func(*rand.Rand) { inf.Released() },
		"churn":    c.churn,
	}
}

// difference compares the scopes and the number of objects of the informer with those that
// it must have. It returns a difference, or "".
func (c *concurrentUse) difference() string {
	var want []delta.Scope
	objects := 0
	server, err := c.w.srv.List(&corev1.Pod{}, "")
	if err != nil {
		return err.Error()
	}
	for n := range c.rows {
		if !c.rows[n].added {
			continue
		}
		if len(c.namespaces) == 0 {
			want = append(want, delta.Scope{Cluster: fmt.Sprint("c", n)})
		}
		for _, ns := range c.namespaces {
			want = append(want, delta.Scope{Cluster: fmt.Sprint("c", n), Namespace: ns})
		}
		for _, o := range server {
			if len(c.namespaces) == 0 || slices.Contains(c.namespaces, o.GetNamespace()) {
				objects++
			}
		}
	}
	h, _ := c.inf.Health()
	var got []delta.Scope
	for _, s := range h.Scopes {
		if got = append(got, s.Scope); !s.Synced {
			return fmt.Sprintf("scope %v is not synced: %v, %v", s.Scope, s.Phase, s.Err)
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Sprintf("got scopes %v, want %v", got, want)
	}
	if n := c.inf.Snapshot().Records().Len(); n != objects {
		return fmt.Sprintf("got %d objects, want %d", n, objects)
	}
	return ""
}

// TestConcurrentUse calls every method of an informer on many goroutines, before, during and
// after Run. In the end the informer follows each cluster in each namespace that was set,
// and has the objects of the server.
func TestConcurrentUse(t *testing.T) {
	for n := range testinput.Cases(t, testinput.Size(t, 2, 3)) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(w *world) {
				random := testinput.Rand(t)
				inf := must(informer.Across[corev1.Pod](informer.Config{Backlog: 8, Queue: delta.Limits{Deltas: 4}}))
				c := &concurrentUse{w: w, inf: inf}
				all := c.operations()
				for range 20 {
					c.churn(random)
				}
				early := maps.Clone(all)
				delete(early, "Run")
				delete(early, "TryRun")
				early.run(w, random, 4, 20)
				ctx, stop := context.WithCancel(w.ctx)
				w.work.Go(func() {
					if err := inf.Run(ctx); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
				all.run(w, random, 8, 60)
				for range 120 {
					if c.difference() == "" {
						break
					}
					w.advance(time.Second)
				}
				if s := c.difference(); s != "" {
					t.Error(s)
				}
				stop()
				all.run(w, random, 4, 20)
				w.work.Wait()
				delete(all, "churn")
				all.checkComplete(t, reflect.TypeFor[*informer.Informer[corev1.Pod]](), "IndexBy", "IndexByEach", "IndexField")
			})
		})
	}
}

// TestConcurrentFactoryUse calls every method of a factory, and methods of its informers, on
// many goroutines.
func TestConcurrentFactoryUse(t *testing.T) {
	for n := range testinput.Cases(t, 2) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(w *world) {
				random := testinput.Rand(t)
				f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
				c := &concurrentUse{w: w}
				all := operations{
					"For": func(r *rand.Rand) {
						cfg := informer.Config{Storage: informer.Storage(r.IntN(2)), Backlog: 8}
						if r.IntN(2) == 0 {
							cfg.Namespaces = []string{"a"}
						}
						inf, err := informer.For[corev1.Pod](f, cfg)
						if checkAllowed(t, err); err != nil {
							return
						}
						defer inf.Release()
						one := concurrentUse{w: w, inf: inf}
						ctx, done := c.shortContext(r)
						defer done()
						select {
						case <-inf.Synced():
						case <-ctx.Done():
						}
						for range r.IntN(5) {
							one.setNamespaces(r)
							inf.Info()
							inf.In(f.View()).Records().Len()
							inf.Released()
						}
						if err := inf.Run(ctx); !errors.Is(err, informer.ErrShared) {
							t.Errorf("Run of an informer of a factory: got %v, want ErrShared", err)
						}
					},
					"Run": func(r *rand.Rand) {
						if err := f.Run(w.ctx); !errors.Is(err, informer.ErrRunTwice) {
							t.Errorf("second Run: got %v, want ErrRunTwice", err)
						}
					},
					"WaitForSync": func(r *rand.Rand) {
						ctx, done := c.shortContext(r)
						defer done()
						_ = f.WaitForSync(ctx) // it may return different errors
					},
					"View":  func(*rand.Rand) { f.View() },
					"List":  func(*rand.Rand) { f.List() },
					"Ready": func(*rand.Rand) { _ = f.Ready() },
					"churn": c.churn,
				}
				early := maps.Clone(all)
				delete(early, "Run")
				delete(early, "TryRun")
				early.run(w, random, 4, 20)
				stop := w.start(f)
				synctest.Wait()
				all.run(w, random, 8, 60)
				if n := len(f.List()); n != 0 {
					t.Errorf("got %d informers after the last Release, want none", n)
				}
				stop()
				all.run(w, random, 4, 20)
				delete(all, "churn")
				all.checkComplete(t, reflect.TypeFor[*informer.Factory](), "For")
			})
		})
	}
}
