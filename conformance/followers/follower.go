package followers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/reflector"
)

// Follower holds a copy of the objects.
type Follower struct {
	Name    string
	objects func() (map[string]*unstructured.Unstructured, error)
	Health  func() reflector.Health
	stop    func()
	History *history.History // of a recorder; else nil
}

// relists is the number of lists after the first.
func relists(r reflector.Relists) uint64 {
	return r.Expired + r.Ahead + r.Absent + r.Replaced + r.Stuck + r.Unordered
}

// differs describes how the objects of a follower differ from those of the server.
func (f *Follower) differs(want map[string]*unstructured.Unstructured) string {
	have, err := f.objects()
	if err != nil {
		return f.Name + ": " + err.Error()
	}
	for n := range maps.Keys(have) {
		if want[n] == nil {
			return fmt.Sprintf("%s: %s exists only there; %s", f.Name, n, f.Condition())
		}
	}
	for n, w := range want {
		h := have[n]
		if h == nil {
			return fmt.Sprintf("%s: %s is missing; %s", f.Name, n, f.Condition())
		}
		a, err := f.bare(h)
		b, also := f.bare(w)
		if err := errors.Join(err, also); err != nil {
			return err.Error()
		}
		if !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("%s: %s is\n%v\nwant\n%v; %s", f.Name, n, a, b, f.Condition())
		}
	}
	return ""
}

// Condition describes the health of a follower.
func (f *Follower) Condition() string {
	h := f.Health()
	return fmt.Sprintf("%v at %v, fault %v (%v), means %v, relists %+v", h.Phase, h.Version, h.Fault, h.Err, h.Means, h.Relists)
}

// bare returns an object as its JSON decodes, without managedFields. A recorder does not keep
// them, and its version is the one at which the content was shown.
func (f *Follower) bare(o *unstructured.Unstructured) (object, error) {
	text, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	fields := object{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	delete(fields["metadata"].(object), "managedFields")
	if f.History != nil {
		delete(fields["metadata"].(object), "resourceVersion")
	}
	return fields, nil
}

// Agree waits until all followers have what the server has.
func (w *World) Agree(when string, followers []*Follower) {
	w.t.Helper()
	began := time.Now()
	var want map[string]*unstructured.Unstructured
	patience.NoError(w.t, "the server lists", func() (err error) {
		want, err = w.list()
		return err
	})
	for _, f := range followers {
		patience.Until(w.t, when, func() string { return f.differs(want) })
		w.t.Logf("%s: %s after %v: %s", when, f.Name, time.Since(began).Round(100*time.Millisecond), f.Condition())
	}
}

// connect connects a follower.
func (w *World) connect() *kube.Cluster {
	w.t.Helper()
	c, err := kube.Connect(kube.Config{REST: w.config()})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	w.asks = append(w.asks, func() error {
		_, err := c.ServerVersion(w.t.Context())
		return err
	})
	return c
}

// informer starts an informer of a resource.
func (w *World) informer(name, resource string, cfg informer.Config) *Follower {
	w.t.Helper()
	cfg.Resource, cfg.Missing, cfg.Logger = resource, informer.WaitIfMissing, w.log.of(name)
	inf, err := informer.Watch[unstructured.Unstructured](w.connect(), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return &Follower{
		Name: name, stop: w.run(inf.Run),
		objects: func() (map[string]*unstructured.Unstructured, error) {
			all := map[string]*unstructured.Unstructured{}
			for o, err := range inf.Snapshot().All() {
				if err != nil {
					return nil, err
				}
				all[o.GetName()] = o
			}
			return all, nil
		},
		Health: func() reflector.Health {
			h, _ := inf.Health()
			return h.Health
		},
	}
}

// resumed starts an informer that has ended before, and resumes at its file.
func (w *World) resumed(resource string, cfg informer.Config) *Follower {
	w.t.Helper()
	cfg.WarmStart.Path = filepath.Join(w.t.TempDir(), "objects")
	first := w.informer("before", resource, cfg)
	w.Agree("the first run", []*Follower{first})
	first.stop()
	f := w.informer("resumed", resource, cfg)
	patience.Until(w.t, "it watches", func() string {
		if h := f.Health(); h.Phase != reflector.Watching {
			return f.Condition()
		}
		return ""
	})
	if h := f.Health(); h.Listed != 0 || relists(h.Relists) != 0 {
		w.t.Errorf("the resumed informer has listed: %s", f.Condition())
	}
	return f
}

// recorder starts a recorder with a database of its own.
func (w *World) recorder(resource string, cfg reflector.Config) *Follower {
	w.t.Helper()
	d, err := sqldb.Open(w.t.Context(), "sqlite:"+filepath.Join(w.t.TempDir(), "history.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	r, err := record.New(d, record.Config{Cluster: w.connect(), Targets: []record.Target{{Type: resource}}, Reflector: cfg, Logger: w.log.of("recorder"), Start: record.Wait})
	if err != nil {
		w.t.Fatal(err)
	}
	h := history.New(d)
	return &Follower{
		Name: "recorder", stop: w.run(r.Run), History: h,
		objects: func() (map[string]*unstructured.Unstructured, error) { return recorded(w.t.Context(), h) },
		Health:  func() reflector.Health { return r.Health().Targets[0].Reflector },
	}
}

// recorded returns the objects that exist according to a history.
func recorded(ctx context.Context, h *history.History) (map[string]*unstructured.Unstructured, error) {
	all := map[string]*unstructured.Unstructured{}
	var present []history.Object
	for o, err := range history.All(ctx, history.Paging{Limit: 1000}, func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
		return h.ListObjects(ctx, history.Filter{}, p)
	}) {
		if err != nil {
			return nil, err
		}
		if o.Presence.String() == "present" {
			present = append(present, o)
		}
	}
	bodies, err := h.Bodies(ctx, present)
	if err != nil {
		return nil, err
	}
	for _, o := range present {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(bodies[o.ID]); err != nil {
			return nil, fmt.Errorf("%s: %w: %.200s", o.Name, err, bodies[o.ID])
		}
		all[o.Name] = u
	}
	return all, nil
}

// dropIn starts an informer of the drop-in.
func (w *World) dropIn() *Follower {
	w.t.Helper()
	client, err := dynamic.NewForConfig(clientgo.Wrap(w.config()))
	if err != nil {
		w.t.Fatal(err)
	}
	w.asks = append(w.asks, func() error {
		_, err := client.Resource(definitions).Get(w.t.Context(), typeName, metav1.GetOptions{})
		return err
	})
	stock := dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(w.resource()).Informer()
	inf := clientgo.Adopt(stock, clientgo.Options{Logger: w.log.of("drop-in")})
	return &Follower{
		Name: "drop-in", stop: w.run(func(ctx context.Context) error { inf.RunWithContext(ctx); return nil }),
		objects: func() (map[string]*unstructured.Unstructured, error) {
			all := map[string]*unstructured.Unstructured{}
			for _, o := range inf.GetStore().List() {
				u := o.(*unstructured.Unstructured)
				all[u.GetName()] = u
			}
			return all, nil
		},
		Health: func() reflector.Health {
			h, _ := clientgo.HealthOf(inf)
			return h.Engine.Health
		},
	}
}

// Five starts the five followers.
func (w *World) Five(cfg reflector.Config) []*Follower {
	w.t.Helper()
	pages := cfg
	pages.Streaming = reflector.PagesOnly
	return []*Follower{
		w.informer("stream", typeName, informer.Config{Reflector: cfg}), w.informer("pages", typeName, informer.Config{Reflector: pages}),
		w.resumed(typeName, informer.Config{Reflector: cfg}), w.recorder(typeName, cfg), w.dropIn(),
	}
}
