// Package outcome compares the results of two runs of a program: their objects, without
// random fields, and the heap that they use.
package outcome

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/vedette-io/vedette/internal/patience"
)

// chance are the fields of every type that differ between two runs of the same program:
// identities and times.
var chance = []string{
	"uid", "resourceVersion", "managedFields", "creationTimestamp", "generateName",
	"lastTransitionTime", "lastUpdateTime", "lastProbeTime", "lastHeartbeatTime", "startTime", "completionTime",
	"startedAt", "finishedAt", "timeAdded",
}

// suffix matches the random part that servers and controllers append to generated names.
var suffix = regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)

// Rules define the compared objects, and the differences that two runs of the same
// program may have.
type Rules struct {
	// Types are the resources to compare, in all namespaces.
	Types []schema.GroupVersionResource
	// Chance are more fields with random values, at any depth.
	Chance []string
	// Names matches random parts of texts, besides the suffixes of generated names.
	// Default none.
	Names *regexp.Regexp
	// Prepare may change an object before it is compared, and reports whether to compare
	// it. Default all.
	Prepare func(resource string, object *unstructured.Unstructured) bool
}

// Outcome is the result of a run: the objects of each resource, and how often each
// occurs.
type Outcome map[string]map[string]int

// Read lists the objects.
//
// Errors: a request that fails.
func (r Rules) Read(ctx context.Context, client dynamic.Interface) (Outcome, error) {
	o := Outcome{}
	for _, t := range r.Types {
		list, err := client.Resource(t).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		o[t.Resource] = map[string]int{}
		for i := range list.Items {
			if item := &list.Items[i]; r.Prepare == nil || r.Prepare(t.Resource, item) {
				o[t.Resource][text(r.normal(item.Object))]++
			}
		}
	}
	return o, nil
}

// normal returns a value without its random parts.
func (r Rules) normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, field := range v {
			if slices.Contains(chance, k) || slices.Contains(r.Chance, k) {
				continue
			}
			if n := r.normal(field); !empty(n) {
				out[k] = n
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = r.normal(v[i])
		}
		// A controller may write them in any order (endpoints, conditions).
		slices.SortFunc(out, func(a, b any) int { return strings.Compare(text(a), text(b)) })
		return out
	case string:
		v = suffix.ReplaceAllString(v, "-*")
		if r.Names != nil {
			v = r.Names.ReplaceAllString(v, "-*")
		}
		return v
	}
	return v
}

// empty reports whether v is an object without fields, such as annotations with only
// random values.
func empty(v any) bool {
	fields, ok := v.(map[string]any)
	return ok && len(fields) == 0
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// Differences returns the objects that only one of the outcomes has: "-" for objects of
// a, "+" for objects of b.
func Differences(a, b Outcome) []string {
	all := append(surplus("-", a, b), surplus("+", b, a)...)
	slices.Sort(all)
	return all
}

// surplus returns the objects that occur more often in a than in b.
func surplus(sign string, a, b Outcome) (all []string) {
	for resource, objects := range a {
		for object, n := range objects {
			if m := b[resource][object]; m < n {
				all = append(all, fmt.Sprintf("%s %s, %d times: %s", sign, resource, n-m, object))
			}
		}
	}
	return all
}

// Heap returns the heap of this process after a collection, in megabytes.
func Heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what finalizers of the first released
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// quiet is the time without changes after which an outcome counts as settled.
const quiet = 5 * time.Second

// Settled waits until holds returns no problem and nothing has changed for a while, and
// returns the outcome.
func (r Rules) Settled(t testing.TB, client dynamic.Interface, what string, holds func() (problem string)) Outcome {
	t.Helper()
	var last Outcome
	since := time.Now()
	patience.Until(t, what, func() string {
		if problem := holds(); problem != "" {
			return problem
		}
		now, err := r.Read(t.Context(), client)
		if err != nil {
			return err.Error()
		}
		if d := Differences(last, now); len(d) > 0 {
			last, since = now, time.Now()
			return d[0]
		}
		if time.Since(since) < quiet {
			return "no problem, but not for long enough"
		}
		return ""
	})
	return last
}

// Count returns the number of objects of each resource.
func (o Outcome) Count() map[string]int {
	counts := map[string]int{}
	for resource, objects := range o {
		for _, n := range objects {
			counts[resource] += n
		}
	}
	return counts
}

// The heap is sampled at an interval. It is settled if it has not shrunk for longer than
// informers keep unused decoded objects: they check once a minute, and drop an object at the
// second check.
const (
	heapEvery = 5 * time.Second
	heapQuiet = 150 * time.Second
)

// SettledHeap measures the heap until it no longer shrinks, and returns its minimum. It ends
// with ctx.
func SettledHeap(ctx context.Context) float64 {
	tick := time.NewTicker(heapEvery)
	defer tick.Stop()
	least := Heap()
	for quiet := time.Duration(0); quiet < heapQuiet && ctx.Err() == nil; quiet += heapEvery {
		<-tick.C
		now := Heap()
		if now < 0.99*least {
			quiet = 0
		}
		least = min(least, now)
	}
	return least
}
