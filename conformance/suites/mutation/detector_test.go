package mutation_test

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/conformance/suites/mutation"
)

// reports collects the findings of a detector.
type reports struct {
	found    []string
	cleanups []func()
}

func (r *reports) Errorf(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}
func (r *reports) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func TestDetector(t *testing.T) {
	pod := func() *v1.Pod {
		return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "x", Labels: map[string]string{"l": "1"}}}
	}
	change := func(object any) { object.(*v1.Pod).Labels["l"] = "2" }
	for _, c := range []struct {
		name   string
		play   func(h cache.ResourceEventHandler)
		change cache.ResourceEventHandlerFuncs
		want   string
	}{
		{"nothing", func(h cache.ResourceEventHandler) { h.OnAdd(pod(), true) }, cache.ResourceEventHandlerFuncs{}, ""},
		{
			"an added object", func(h cache.ResourceEventHandler) { h.OnAdd(pod(), true) },
			cache.ResourceEventHandlerFuncs{AddFunc: change},
			"by a handler",
		},
		{
			"an old object", func(h cache.ResourceEventHandler) { h.OnUpdate(pod(), pod()) },
			cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, _ any) { change(old) }},
			"by a handler",
		},
		{
			"a tombstone", func(h cache.ResourceEventHandler) {
				h.OnDelete(cache.DeletedFinalStateUnknown{Key: "a/x", Obj: pod()})
			},
			cache.ResourceEventHandlerFuncs{DeleteFunc: func(o any) { change(o.(cache.DeletedFinalStateUnknown).Obj) }},
			"by a handler",
		},
		{
			"an object between two handlers", func(h cache.ResourceEventHandler) { p := pod(); h.OnAdd(p, true); change(p); h.OnDelete(p) },
			cache.ResourceEventHandlerFuncs{},
			"before this handler",
		},
		{
			"an object later", func(h cache.ResourceEventHandler) { p := pod(); h.OnAdd(p, true); change(p) },
			cache.ResourceEventHandlerFuncs{},
			"after a handler got it",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := &reports{}
			c.play(mutation.NewDetector(to).Handler(c.change))
			for _, f := range to.cleanups {
				f()
			}
			if len(to.found) > 1 || (len(to.found) == 1) != (c.want != "") || c.want != "" && !strings.Contains(to.found[0], c.want) {
				t.Errorf("found %q, want %q", to.found, c.want)
			}
		})
	}
}
