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
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// moves are what a test does with something, by the names of its methods.
type moves map[string]func(r *rand.Rand)

// complete fails unless there is a move for each public method of a type, and for
// each function that takes it as its first argument and is named.
func (m moves) complete(t *testing.T, of reflect.Type, functions ...string) {
	t.Helper()
	want := functions
	for method := range of.Methods() {
		want = append(want, method.Name)
	}
	slices.Sort(want)
	equal(t, of.String(), slices.Sorted(maps.Keys(m)), want)
}

// play makes moves on several goroutines at once until they have made so many each.
func (m moves) play(w *world, seed uint64, goroutines, each int) {
	names := slices.Sorted(maps.Keys(m))
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			for range each {
				m[names[r.IntN(len(names))]](r)
				<-time.After(time.Duration(r.IntN(3)) * time.Millisecond)
			}
		})
	}
	all.Wait()
}

// crowd is an informer that many goroutines use at once, and what it must follow in
// the end.
type crowd struct {
	w    *world
	inf  *informer.Informer[corev1.Pod]
	rows [4]struct { // one for each cluster, whose calls are in order
		mu    sync.Mutex
		there bool
	}
	names      sync.Mutex
	namespaces []string
}

func allowed(t *testing.T, err error, but ...error) {
	t.Helper()
	for _, e := range append(but, nil, informer.ErrStopped, context.Canceled, context.DeadlineExceeded) {
		if errors.Is(err, e) {
			return
		}
	}
	t.Errorf("%v", err)
}

// brief returns a context that may be done already.
func (c *crowd) brief(r *rand.Rand) (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.w.ctx, time.Duration(r.IntN(4))*time.Millisecond)
}

func (c *crowd) setNamespaces(r *rand.Rand) {
	c.names.Lock()
	defer c.names.Unlock()
	sets := [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"b", "c"}, {"a", "b", "c", "d"}}
	set := sets[r.IntN(len(sets))]
	ctx, done := c.brief(r)
	defer done()
	err := c.inf.SetNamespaces(ctx, set...)
	if allowed(c.w.t, err); err == nil {
		c.namespaces = set
	}
}

func (c *crowd) addCluster(r *rand.Rand) {
	n := r.IntN(len(c.rows))
	row := &c.rows[n]
	row.mu.Lock()
	defer row.mu.Unlock()
	err := c.inf.AddCluster(fmt.Sprint("c", n), c.w.cluster)
	switch {
	case row.there && (err == nil || !strings.Contains(err.Error(), "already") && !errors.Is(err, informer.ErrStopped)):
		c.w.t.Errorf("a second cluster c%d: %v", n, err)
	case !row.there:
		if allowed(c.w.t, err); err == nil {
			row.there = true
		}
	}
}

func (c *crowd) removeCluster(r *rand.Rand) {
	n := r.IntN(len(c.rows))
	row := &c.rows[n]
	row.mu.Lock()
	defer row.mu.Unlock()
	ctx, done := c.brief(r)
	defer done()
	err := c.inf.RemoveCluster(ctx, fmt.Sprint("c", n))
	if row.there {
		if allowed(c.w.t, err); err == nil {
			row.there = false
		}
	} else if err == nil {
		c.w.t.Errorf("cluster c%d was removed, and is not there", n)
	}
}

// churn changes something on the server.
func (c *crowd) churn(r *rand.Rand) {
	p := in([]string{"a", "b", "c", "d"}[r.IntN(4)], fmt.Sprint("pod-", r.IntN(6)))
	if r.IntN(2) == 0 {
		_, _ = c.w.srv.Create(p) // it may be there
	} else {
		_ = c.w.srv.Delete(p) // or not
	}
}

// consume reads some events, and stops in the middle.
func (c *crowd) consume(r *rand.Rand, events func(context.Context) func(func(informer.Event[corev1.Pod]) bool)) {
	ctx, done := c.brief(r)
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

func (c *crowd) written(r *rand.Rand) kube.Written {
	return kube.Written{
		Cluster: c.w.cluster, Resource: kube.Resource{Name: "pods", Version: "v1"}, UID: "u", Version: wire.Version(r.IntN(100)),
		Key: wire.Key{Namespace: "a", Name: "pod-1"}, Effect: kube.Effect(r.IntN(2)),
	}
}

// moves are all that can be done with an informer.
func (c *crowd) moves() moves {
	inf := c.inf
	return moves{
		"AddCluster": c.addCluster, "RemoveCluster": c.removeCluster, "SetNamespaces": c.setNamespaces,
		"Handle": func(r *rand.Rand) {
			reg, err := inf.Handle(informer.Handler[corev1.Pod]{OnEvent: func(context.Context, informer.Event[corev1.Pod]) error { return nil }},
				informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Mode: store.Mode(r.IntN(3))}})
			if allowed(c.w.t, err); err == nil {
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
		"In":   func(*rand.Rand) { inf.In(inf.View()).Len() },
		"View": func(*rand.Rand) { inf.View() },
		"IndexBy": func(*rand.Rand) {
			x := informer.IndexBy(inf, func(p *corev1.Pod) string { return p.Namespace })
			for range x.Get(inf.Snapshot(), "a") {
			}
		},
		"IndexByEach": func(*rand.Rand) {
			informer.IndexByEach(inf, func(p *corev1.Pod) []string { return []string{p.Name, p.Namespace} }).Len(inf.Snapshot(), "a")
		},
		"IndexRecords": func(*rand.Rand) {
			inf.IndexRecords(func(dst []string, rec *wire.Record, _ any) []string { return append(dst, rec.Name) })
		},
		"IndexField": func(*rand.Rand) {
			must(informer.IndexField(inf, "metadata.name")).Len(inf.Snapshot(), "pod-1")
		},
		"WaitFor": func(r *rand.Rand) {
			ctx, done := c.brief(r)
			defer done()
			allowed(c.w.t, inf.WaitFor(ctx, wire.Version(r.IntN(100))))
		},
		"WaitForWrite": func(r *rand.Rand) {
			ctx, done := c.brief(r)
			defer done()
			allowed(c.w.t, inf.WaitForWrite(ctx, c.written(r)))
		},
		"Follows":      func(r *rand.Rand) { inf.Follows(c.written(r)) },
		"Shows":        func(r *rand.Rand) { inf.Shows(c.written(r)) },
		"HasSelectors": func(*rand.Rand) { inf.HasSelectors() },
		"Health":       func(*rand.Rand) { h, _ := inf.Health(); _ = h.Ready() },
		"Stats":        func(*rand.Rand) { inf.Stats() },
		"Info":         func(*rand.Rand) { inf.Info() },
		"Synced":       func(*rand.Rand) { inf.Synced() },
		"Run": func(r *rand.Rand) {
			ctx, done := c.brief(r)
			defer done()
			if err := inf.Run(ctx); !errors.Is(err, informer.ErrRunTwice) {
				c.w.t.Errorf("Run again: %v", err)
			}
		},
		"TryRun": func(r *rand.Rand) {
			ctx, done := c.brief(r)
			defer done()
			if ran, err := inf.TryRun(ctx); ran || err != nil {
				c.w.t.Errorf("TryRun again: %v, %v", ran, err)
			}
		},
		"Release":  func(*rand.Rand) { inf.Release() },
		"Released": func(*rand.Rand) { inf.Released() },
		"churn":    c.churn,
	}
}

// agrees reports whether the informer follows what it must, and shows what is there.
func (c *crowd) agrees() string {
	var want []delta.Scope
	objects := 0
	server, err := c.w.srv.List(&corev1.Pod{}, "")
	if err != nil {
		return err.Error()
	}
	for n := range c.rows {
		if !c.rows[n].there {
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
			return fmt.Sprintf("%v is not synced: %v %v", s.Scope, s.Phase, s.Err)
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Sprintf("it follows %v, want %v", got, want)
	}
	if n := c.inf.Snapshot().Len(); n != objects {
		return fmt.Sprintf("%d objects, want %d", n, objects)
	}
	return ""
}

// TestEverythingAtOnce calls every method of an informer on many goroutines, before,
// while and after it runs. In the end it follows each cluster in each namespace that
// it should, and shows what is there.
func TestEverythingAtOnce(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(w *world) {
				inf := must(informer.Across[corev1.Pod](informer.Config{Backlog: 8, Queue: delta.Limits{Deltas: 4}}))
				c := &crowd{w: w, inf: inf}
				all := c.moves()
				for range 20 {
					c.churn(rand.New(rand.NewPCG(seed, 99)))
				}
				early := maps.Clone(all)
				delete(early, "Run")
				delete(early, "TryRun")
				early.play(w, seed, 4, 20)
				ctx, stop := context.WithCancel(w.ctx)
				w.work.Go(func() {
					if err := inf.Run(ctx); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
				all.play(w, seed+100, 8, 60)
				for range 120 {
					if c.agrees() == "" {
						break
					}
					w.pass(time.Second)
				}
				if s := c.agrees(); s != "" {
					t.Error(s)
				}
				stop()
				all.play(w, seed+200, 4, 20)
				w.work.Wait()
				delete(all, "churn")
				all.complete(t, reflect.TypeFor[*informer.Informer[corev1.Pod]](), "IndexBy", "IndexByEach", "IndexField")
			})
		})
	}
}

// TestFactoryEverythingAtOnce calls every method of a factory, and of what it makes,
// on many goroutines.
func TestFactoryEverythingAtOnce(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(w *world) {
				f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
				c := &crowd{w: w}
				all := moves{
					"For": func(r *rand.Rand) {
						cfg := informer.Config{Storage: informer.Storage(r.IntN(2)), Backlog: 8}
						if r.IntN(2) == 0 {
							cfg.Namespaces = []string{"a"}
						}
						inf, err := informer.For[corev1.Pod](f, cfg)
						if allowed(t, err); err != nil {
							return
						}
						defer inf.Release()
						one := crowd{w: w, inf: inf}
						ctx, done := c.brief(r)
						defer done()
						select {
						case <-inf.Synced():
						case <-ctx.Done():
						}
						for range r.IntN(5) {
							one.setNamespaces(r)
							inf.Info()
							inf.In(f.View()).Len()
							inf.Released()
						}
						if err := inf.Run(ctx); !errors.Is(err, informer.ErrShared) {
							t.Errorf("Run: %v", err)
						}
					},
					"Run": func(r *rand.Rand) {
						if err := f.Run(w.ctx); !errors.Is(err, informer.ErrRunTwice) {
							t.Errorf("Run again: %v", err)
						}
					},
					"WaitForSync": func(r *rand.Rand) {
						ctx, done := c.brief(r)
						defer done()
						_ = f.WaitForSync(ctx) // what is not synced has no common cause
					},
					"View":  func(*rand.Rand) { f.View() },
					"List":  func(*rand.Rand) { f.List() },
					"Ready": func(*rand.Rand) { _ = f.Ready() },
					"churn": c.churn,
				}
				early := maps.Clone(all)
				delete(early, "Run")
				delete(early, "TryRun")
				early.play(w, seed, 4, 20)
				stop := w.runs(f)
				synctest.Wait()
				all.play(w, seed+100, 8, 60)
				if n := len(f.List()); n != 0 {
					t.Errorf("%d informers are left", n)
				}
				stop()
				all.play(w, seed+200, 4, 20)
				delete(all, "churn")
				all.complete(t, reflect.TypeFor[*informer.Factory](), "For")
			})
		})
	}
}
