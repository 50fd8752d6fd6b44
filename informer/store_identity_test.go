package informer_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// Projections of a pod: alike has the JSON fields of nodeOf, and renamed does not.
type (
	nodeOf struct {
		Name string `json:"name"`
		Node string `json:"node,omitempty"`
	}
	renamed struct {
		Name string `json:"name"`
		Node string `json:"host,omitempty"`
	}
	alike struct {
		Other string `json:"name,omitempty"`
		Host  string `json:"node"`
	}
)

// startable has the methods of informers of all types that the tests need.
type startable interface {
	Run(ctx context.Context) error
	Health() (informer.Health, <-chan struct{})
	Synced() <-chan struct{}
}

// asStartable converts the results of a constructor.
func asStartable[T any](inf *informer.Informer[T], err error) (startable, error) { return inf, err }

// TestShapeOfTheFile: a snapshot file is used only if the informer would have stored the same
// records. Otherwise Health says which part of the configuration differs.
func TestShapeOfTheFile(t *testing.T) {
	projection := func(p *corev1.Pod) *nodeOf { return &nodeOf{p.Name, p.Spec.NodeName} }
	pods := func(change func(*informer.Config)) func(*world, informer.Config) (startable, error) {
		return func(w *world, cfg informer.Config) (startable, error) {
			if change != nil {
				change(&cfg)
			}
			return asStartable(informer.Watch[corev1.Pod](w.cluster, cfg))
		}
	}
	transformed := func(version string) func(*informer.Config) {
		return func(cfg *informer.Config) {
			cfg.TransformVersion = version
			cfg.Transform = informer.Transform(func(p *corev1.Pod) error { p.Spec = corev1.PodSpec{}; return nil })
		}
	}
	project := func(version string) func(*world, informer.Config) (startable, error) {
		return func(w *world, cfg informer.Config) (startable, error) {
			cfg.TransformVersion = version
			return asStartable(informer.Project(w.cluster, cfg, projection))
		}
	}
	for name, c := range map[string]struct {
		before, after func(*world, informer.Config) (startable, error)
		want          string
	}{
		"same configuration": {pods(nil), pods(nil), ""},
		"transform added":    {pods(nil), pods(transformed("1")), `transform version "", want "1"`},
		"transform removed":  {pods(transformed("1")), pods(nil), `transform version "1", want ""`},
		"other version":      {pods(transformed("1")), pods(transformed("2")), `transform version "1", want "2"`},
		"same version":       {pods(transformed("1")), pods(transformed("1")), ""},
		"kept fields": {pods(nil), pods(func(cfg *informer.Config) {
			cfg.Reflector.Wire.ManagedFields = wire.KeepManagedFields
		}), `managed fields "dropped", want "kept"`},
		"metadata only": {func(w *world, cfg informer.Config) (startable, error) {
			cfg.Resource = "pods"
			return asStartable(informer.Watch[metav1.PartialObjectMetadata](w.cluster, cfg))
		}, pods(func(cfg *informer.Config) { cfg.Resource = "pods" }), `view "metadata", want "full objects"`},
		"projection added":            {pods(nil), project("1"), `projection "", want "{name string;node string;}"`},
		"same projection":             {project("1"), project("1"), ""},
		"other function":              {project("1"), project("2"), `transform version "1", want "2"`},
		"projection to the same JSON": {project("1"), projectTo(func(p *corev1.Pod) *alike { return &alike{p.Name, p.Spec.NodeName} }), ""},
		"renamed field":               {project("1"), projectTo(func(p *corev1.Pod) *renamed { return &renamed{p.Name, p.Spec.NodeName} }), `want "{name string;host string;}"`},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.create(podOn("a", "one"))
				cfg := informer.Config{Logger: slog.New(slog.DiscardHandler), WarmStart: informer.WarmStart{Path: filepath.Join(w.t.TempDir(), "snapshot")}}
				first := must(c.before(w, cfg))
				stop := w.start(first)
				<-first.Synced()
				stop()
				second := must(c.after(w, cfg))
				stop = w.start(second)
				<-second.Synced()
				h, _ := second.Health()
				if (h.ColdStart == nil) != (c.want == "") || h.ColdStart != nil && !strings.Contains(h.ColdStart.Error(), c.want) {
					w.t.Errorf("got ColdStart %v, want %q", h.ColdStart, c.want)
				}
				stop()
			})
		})
	}
}

// projectTo returns a constructor of an informer with a projection.
func projectTo[S any](projection func(*corev1.Pod) *S) func(*world, informer.Config) (startable, error) {
	return func(w *world, cfg informer.Config) (startable, error) {
		cfg.TransformVersion = "1"
		return asStartable(informer.Project(w.cluster, cfg, projection))
	}
}

// TestTransformNeedsAVersion: a transform or a projection with a snapshot file needs a version.
func TestTransformNeedsAVersion(t *testing.T) {
	inWorld(t, func(w *world) {
		cfg := informer.Config{WarmStart: informer.WarmStart{Path: filepath.Join(w.t.TempDir(), "snapshot")}}
		_, err := informer.Project(w.cluster, cfg, func(*corev1.Pod) *nodeOf { return nil })
		cfg.Transform = informer.Transform(func(*corev1.Pod) error { return nil })
		for _, err := range []error{
			err, constructorError(informer.Watch[corev1.Pod](w.cluster, cfg)), constructorError(informer.Across[corev1.Pod](cfg)),
			constructorError(informer.New[corev1.Pod](w.cluster.Source(must(kube.Named("pods")), kube.Selection{}), cfg)),
		} {
			if err == nil || !strings.Contains(err.Error(), "TransformVersion") {
				w.t.Errorf("got error %v, want one that names TransformVersion", err)
			}
		}
	})
}

// TestDecodeWithFile: Decode with a snapshot file is an error, because a store without bodies
// cannot write them.
func TestDecodeWithFile(t *testing.T) {
	inWorld(t, func(w *world) {
		cfg := informer.Config{
			Storage: informer.Live, Decode: func(wire.Record) (any, error) { return 1, nil },
			WarmStart: informer.WarmStart{Path: filepath.Join(w.t.TempDir(), "snapshot")},
		}
		if _, err := informer.Watch[corev1.Pod](w.cluster, cfg); err == nil || !strings.Contains(err.Error(), "Decode") {
			w.t.Errorf("got error %v, want one that names Decode", err)
		}
	})
}

// TestFactorySharesByShape: informers share an engine only if they hold the same objects. The
// current namespaces count, not those of the configuration.
func TestFactorySharesByShape(t *testing.T) {
	inWorld(t, func(w *world) {
		p := podIn("ns0", "one")
		p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1"}}
		w.create(p, podIn("ns1", "two"))
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{Reflector: reflector.Config{PageSize: 7}})
		w.run(f)
		dropped := informerFor[corev1.Pod](w, f, informer.Config{})
		kept := informerFor[corev1.Pod](w, f, informer.Config{Reflector: reflector.Config{Wire: wire.Options{ManagedFields: wire.KeepManagedFields}}})
		if err := f.WaitForSync(w.ctx); err != nil {
			w.t.Fatal(err)
		}
		for inf, want := range map[*informer.Informer[corev1.Pod]]int{dropped: 0, kept: 1} {
			one, _, err := inf.Snapshot().Get(wire.Key{Namespace: "ns0", Name: "one"})
			if err != nil || len(one.ManagedFields) != want {
				w.t.Errorf("got %v, %v, want %d managers", one, err, want)
			}
		}
		ns0 := informer.Config{Namespaces: []string{"ns0"}}
		first := informerFor[corev1.Pod](w, f, ns0)
		if err := first.SetNamespaces(w.ctx, "ns1"); err != nil {
			w.t.Fatal(err)
		}
		second, third := informerFor[corev1.Pod](w, f, ns0), informerFor[corev1.Pod](w, f, informer.Config{Namespaces: []string{"ns1"}})
		w.advance(time.Minute)
		equal(w.t, "ns1", names(w.t, first.Snapshot().All()), []string{"two"})
		equal(w.t, "ns0", names(w.t, second.Snapshot().All()), []string{"one"})
		if n := third.Info().Users; n != 2 {
			w.t.Errorf("got %d users of ns1, want 2", n)
		}
		if n := informerFor[corev1.Pod](w, f, informer.Config{Backlog: 3}).Info().Users; n != 1 {
			w.t.Errorf("got %d users with another backlog, want 1", n)
		}
	})
}

// TestFactorySettingsPerInformer: informers that share an engine have their own resync. Two
// engines cannot have the same snapshot file.
func TestFactorySettingsPerInformer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("one"))
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		w.run(f)
		var often, never eventLog
		w.handle(informerFor[corev1.Pod](w, f, informer.Config{}), never.handler(), informer.HandlerConfig{})
		w.handle(informerFor[corev1.Pod](w, f, informer.Config{Resync: time.Minute}), often.handler(), informer.HandlerConfig{})
		if n := len(f.List()); n != 1 {
			w.t.Errorf("got %d informers, want 1", n)
		}
		w.advance(5*time.Minute + time.Second)
		if n, o := len(never.take()), len(often.take()); n != 1 || o != 6 {
			w.t.Errorf("got %d and %d calls, want 1 and 6", n, o)
		}
		warm := informer.WarmStart{Path: filepath.Join(w.t.TempDir(), "snapshot")}
		informerFor[corev1.Pod](w, f, informer.Config{WarmStart: warm})
		if _, err := informer.For[corev1.Pod](f, informer.Config{WarmStart: warm, LabelSelector: "a=b"}); err == nil {
			w.t.Error("For succeeded with the file of another informer, want an error")
		}
		if _, err := informer.For[corev1.Pod](f, informer.Config{HotObjects: -1}); err == nil {
			w.t.Error("For succeeded with -1 HotObjects, want an error")
		}
	})
}

// TestFactoryDefaults: a factory sets the default of each field of a configuration separately:
// an informer with its own page size still gets the other defaults.
func TestFactoryDefaults(t *testing.T) {
	inWorld(t, func(w *world) {
		requests := 0
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{
			Reflector: reflector.Config{Streaming: reflector.PagesOnly, Wire: wire.Options{ManagedFields: wire.KeepManagedFields}},
			Queue:     delta.Limits{Deltas: 3},
		})
		p := pod("one")
		p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1"}}
		w.create(p)
		w.run(f)
		inf := informerFor[corev1.Pod](w, f, informer.Config{Reflector: reflector.Config{PageSize: 7}})
		<-inf.Synced()
		for _, r := range w.srv.Requests() {
			if r.Streaming() {
				requests++
			}
		}
		one, _, err := inf.Snapshot().Get(key("one"))
		if err != nil || requests != 0 || len(one.ManagedFields) != 1 {
			w.t.Errorf("got %d streaming lists, pod %v, error %v, want none and a pod with a manager", requests, one, err)
		}
	})
}
