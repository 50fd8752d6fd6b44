package dropin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/measure"
	ours "github.com/vedette-io/vedette/compat/clientgo/informers"
	"github.com/vedette-io/vedette/internal/pause"
)

// Use is what a program does with its informers.
type Use string

const (
	// Idle has no handlers.
	Idle Use = "no handler"
	// Ignore has a handler for each type, which reads nothing.
	Ignore Use = "handlers that read nothing"
	// Read has a handler for each type, which reads the old and the new object.
	Read Use = "handlers that read"
	// List has the same, and lists pods and deployments 20 times a second.
	List Use = "listers asked all the time"
)

// Uses are all of them.
var Uses = []Use{Idle, Ignore, Read, List}

// Program is the work of one process.
type Program struct {
	URL    string
	N      int // objects of each type
	DropIn bool
	Use    Use
	Rest   time.Duration
}

// Figures are what a process takes at one stage.
type Figures struct {
	Stage     string
	Heap, RSS uint64
	Peak      uint64
	CPU       time.Duration
}

// The stages of a program.
const (
	Listed  = "after the first list"
	Updated = "after the updates"
	Rested  = "at rest"
)

// Main runs a program. It writes the figures of each stage as a line of JSON, and continues
// after the first when it reads the last version of each type.
//
// Errors: a server that does not answer; a program that does not see the versions.
func Main(p Program, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cs, err := kubernetes.NewForConfig(&rest.Config{Host: p.URL, ContentConfig: rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}})
	if err != nil {
		return err
	}
	f := informers.NewSharedInformerFactory(cs, 0)
	if p.DropIn {
		f = ours.NewSharedInformerFactory(cs, 0)
	}
	var calls atomic.Int64
	all, err := p.open(f, &calls)
	if err != nil {
		return err
	}
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	if err := p.wait(ctx, func() bool { return p.Use == Idle || calls.Load() >= int64(p.N*len(all)) }); err != nil {
		return err
	}
	if err := report(out, Listed); err != nil {
		return err
	}
	stopLists := p.list(ctx, f)
	last := make([]string, len(all))
	if err := json.NewDecoder(in).Decode(&last); err != nil {
		return err
	}
	if err := p.wait(ctx, func() bool { return p.done(all, last, &calls) }); err != nil {
		return err
	}
	if err := report(out, Updated); err != nil {
		return err
	}
	stopLists()
	if p.Rest == 0 {
		return nil
	}
	if err := pause.For(ctx, p.Rest); err != nil {
		return err
	}
	return report(out, Rested)
}

// open makes the informers. calls counts the calls of their handlers.
func (p Program) open(f informers.SharedInformerFactory, calls *atomic.Int64) ([]cache.SharedIndexInformer, error) {
	core := f.Core().V1()
	all := []cache.SharedIndexInformer{
		core.Pods().Informer(), core.ConfigMaps().Informer(), core.Secrets().Informer(), core.Services().Informer(), f.Apps().V1().Deployments().Informer(),
		f.Apps().V1().ReplicaSets().Informer(), f.Batch().V1().Jobs().Informer(), core.ServiceAccounts().Informer(), core.Events().Informer(), core.PersistentVolumeClaims().Informer(),
	}
	if p.Use == Idle {
		return all, nil
	}
	for _, inf := range all {
		if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { calls.Add(1) },
			UpdateFunc: func(old, obj any) {
				calls.Add(1)
				if p.Use != Ignore && name(old) != name(obj) {
					calls.Store(math.MinInt64) // the program does not finish
				}
			},
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func name(obj any) string { return obj.(interface{ GetName() string }).GetName() }

// list lists pods and deployments 20 times a second until stop is called, if the use is List.
func (p Program) list(ctx context.Context, f informers.SharedInformerFactory) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	pods, deployments := f.Core().V1().Pods().Lister(), f.Apps().V1().Deployments().Lister()
	go func() {
		for p.Use == List && pause.For(ctx, 50*time.Millisecond) == nil {
			_, _ = pods.List(labels.Everything())
			_, _ = deployments.List(labels.Everything())
		}
	}()
	return cancel
}

// done reports whether the program has seen all updates.
func (p Program) done(all []cache.SharedIndexInformer, last []string, calls *atomic.Int64) bool {
	if p.Use != Idle {
		return calls.Load() >= int64(p.N*len(all)*(1+rounds))
	}
	for i, inf := range all {
		if p.N > 0 && inf.LastSyncResourceVersion() != last[i] {
			return false
		}
	}
	return true
}

// wait waits for a condition.
func (p Program) wait(ctx context.Context, done func() bool) error {
	const most = 3 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for !done() {
		if pause.For(ctx, 20*time.Millisecond) != nil {
			return fmt.Errorf("%d objects, %s: not done within %v", p.N, p.Use, most)
		}
	}
	return nil
}

// report writes the figures of a stage.
func report(out io.Writer, stage string) error {
	runtime.GC()
	runtime.GC() // pools give up their content with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fig := Figures{Stage: stage, Heap: m.HeapAlloc}
	var err error
	if fig.RSS, err = measure.RSS(); err != nil {
		return err
	}
	if fig.Peak, err = measure.PeakRSS(); err != nil {
		return err
	}
	if fig.CPU, err = measure.CPUTime(); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(fig)
}
