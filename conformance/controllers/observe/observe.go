// Package observe checks controllers of other projects in tests: which errors they log,
// and whether their informers are accelerated.
package observe

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vedette-io/vedette/compat/clientgo"
)

// Errors counts the errors that controllers log, and keeps the last. Every run has some:
// conflicts, and recently deleted objects.
type Errors struct {
	mu   sync.Mutex
	n    int
	last string
}

// Logger returns a logger that counts errors, and drops the rest.
func (e *Errors) Logger() logr.Logger {
	return funcr.New(func(prefix, line string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.n++
		e.last = prefix + " " + line
	}, funcr.Options{Verbosity: -1})
}

// Report logs how many errors there were since the last report.
func (e *Errors) Report(t testing.TB) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	t.Logf("%d errors were logged; the last: %s", e.n, e.last)
	e.n, e.last = 0, ""
}

// Informers collects which informers of a cache are accelerated.
type Informers struct {
	mu       sync.Mutex
	byReason map[string][]string
}

// Options returns options for controllerruntime.NewCacheWith that make it equivalent to
// NewCache.
func (i *Informers) Options(example runtime.Object) clientgo.Options {
	what := fmt.Sprintf("%T", example)
	if kind := example.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		what += " of " + kind
	}
	return clientgo.Options{Started: func(reason string) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.byReason == nil {
			i.byReason = map[string][]string{}
		}
		i.byReason[reason] = append(i.byReason[reason], what)
	}}
}

// Check fails the test if an informer is not accelerated, or if none has started.
func (i *Informers) Check(t testing.TB) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	for reason, informers := range i.byReason {
		slices.Sort(informers)
		if reason != "" {
			t.Errorf("informers of %q are not accelerated: %s", informers, reason)
		}
	}
	if len(i.byReason[""]) == 0 {
		t.Error("no informer has started on the engine")
	}
	t.Logf("accelerated informers: %q", i.byReason[""])
}
