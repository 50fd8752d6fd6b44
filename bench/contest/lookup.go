package contest

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/measure"
)

// Lookup selects a reconciler's reads from a cache.
type Lookup string

const (
	// LookupNothing reads nothing.
	LookupNothing Lookup = ""
	// LookupGet reads the object of each event, by its name.
	LookupGet Lookup = "get"
	// LookupIndex reads all objects with a value of the label "app", by an index.
	LookupIndex Lookup = "index"
	// LookupLabels reads the same objects by a selector, over all objects.
	LookupLabels Lookup = "labels"
	// LookupList reads all objects.
	LookupList Lookup = "list"
)

// Reader is a Cache that reconcilers can read.
type Reader interface {
	Cache
	// Names returns the names of all objects, sorted by their keys.
	Names() []cache.ObjectName
	// Get returns an object by its key; nil if it does not exist.
	Get(ctx context.Context, key cache.ObjectName) (metav1.Object, error)
	// ByApp calls f for the objects whose label "app" has a value, by an index.
	ByApp(ctx context.Context, app string, f func(metav1.Object)) error
	// Select calls f for the objects that a selector matches.
	Select(ctx context.Context, s labels.Selector, f func(metav1.Object)) error
}

// appIndex is the name of the index by the label "app".
const appIndex = "app"

func byApp(obj any) ([]string, error) {
	o, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	return []string{o.GetLabels()["app"]}, nil
}

// addIndex adds the index, if the task has one.
func (e *Env) addIndex(inf cache.SharedIndexInformer) error {
	if !e.Index {
		return nil
	}
	return inf.AddIndexers(cache.Indexers{appIndex: byApp})
}

// lookups runs the reads of reconcilers.
type lookups struct {
	reader Reader
	what   Lookup
	names  []cache.ObjectName // names of the objects to read, in turn
	seen   int                // number of objects read
}

// run does count lookups at a rate per second; zero means as fast as possible.
func (l *lookups) run(ctx context.Context, count, rate int) error {
	began := time.Now()
	for i := range count {
		if rate > 0 {
			due := time.NewTimer(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))))
			select {
			case <-due.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := l.one(ctx, l.names[i%len(l.names)]); err != nil {
			return err
		}
	}
	if l.seen == 0 {
		return fmt.Errorf("lookup %q found nothing", l.what)
	}
	return nil
}

// one does a lookup.
func (l *lookups) one(ctx context.Context, name cache.ObjectName) error {
	see := func(obj metav1.Object) {
		stampOf(obj)
		l.seen++
	}
	if l.what == LookupList {
		return l.reader.Select(ctx, labels.Everything(), see)
	}
	obj, err := l.reader.Get(ctx, name)
	if err != nil || obj == nil || l.what == LookupGet {
		if obj != nil {
			see(obj)
		}
		return err
	}
	app := obj.GetLabels()["app"]
	if l.what == LookupIndex {
		return l.reader.ByApp(ctx, app, see)
	}
	return l.reader.Select(ctx, labels.SelectorFromSet(labels.Set{"app": app}), see)
}

// doLook waits for the first list, and then measures lookups during events.
func doLook(ctx context.Context, t *Task) (*Result, error) {
	began, err := measure.CPUTime()
	if err != nil {
		return nil, err
	}
	a := newAudience(1, t.N, t.Reads, nil)
	c, err := t.open(a.handlers)
	if err != nil {
		return nil, err
	}
	r, ok := c.(Reader)
	if !ok {
		return nil, fmt.Errorf("%s does not support reads", t.Contestant)
	}
	stop := follow(ctx, c)
	if err := wait(ctx, "the first list, handled", a.initial); err != nil {
		return nil, err
	}
	listed, err := measure.CPUTime()
	if err != nil {
		return nil, err
	}
	look := &lookups{reader: r, what: t.Lookup, names: r.Names()}
	if t.HotKeys > 0 && t.HotKeys < len(look.names) {
		look.names = look.names[:t.HotKeys]
	}
	mark, err := measure.Begin()
	if err != nil {
		return nil, err
	}
	if _, err := control(ctx, t.URL, "start"); err != nil {
		return nil, err
	}
	if err := look.run(ctx, t.Lookups, t.LookupRate); err != nil {
		return nil, err
	}
	if err := wait(ctx, "the last event", a.ended); err != nil {
		return nil, err
	}
	f, err := mark.Times()
	if err != nil {
		return nil, err
	}
	if err := mark.Memory(f); err != nil {
		return nil, err
	}
	rates(f, t)
	f[Told], f[PerLookup] = float64(a.told.Load()), f[measure.CPU]/float64(t.Lookups)
	f[Since] = f[measure.CPU] + (listed - began).Seconds()
	return &Result{Figures: f}, stop()
}
