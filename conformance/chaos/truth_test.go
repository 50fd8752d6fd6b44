package chaos_test

import (
	"maps"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// prefix begins the keys of all objects that the test writes. API servers write others.
const prefix = "chaos-"

// label is the label of the informers' selector: it selects objects on which the value is
// "yes".
const label = "selected"

// revision is one state of an object. gone means that the object was deleted at this
// revision.
type revision struct {
	uid     string
	version wire.Version
	gone    bool
}

// plain returns the revision without the version of a deletion, which the answer to the writer
// does not have.
func (r revision) plain() revision {
	if r.gone {
		r.version = 0
	}
	return r
}

func revisionOf(m metav1.Object) (revision, error) {
	v, err := wire.ParseVersion(m.GetResourceVersion())
	return revision{uid: string(m.GetUID()), version: v}, err
}

// keyOf returns the key under which client-go stores an object.
func keyOf(m metav1.Object) string {
	if m.GetNamespace() == "" {
		return m.GetName()
	}
	return m.GetNamespace() + "/" + m.GetName()
}

func mine(key string) bool { return strings.HasPrefix(key, prefix) }

// written is a revision that the writer made.
type written struct {
	revision
	selected bool
}

// history is the written revisions of the objects of a kind.
type history struct {
	mu     sync.Mutex
	before map[string]written   // the last revision before this phase
	steps  map[string][]written // in this phase
}

func newHistory() *history {
	return &history{before: map[string]written{}, steps: map[string][]written{}}
}

func (h *history) add(key string, w written) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps[key] = append(h.steps[key], w)
}

// begin begins a phase.
func (h *history) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, steps := range h.steps {
		h.before[key] = steps[len(steps)-1]
	}
	h.steps = map[string][]written{}
}

// told returns the revisions of each object that an informer has to report in this phase,
// and the objects before the phase.
func (h *history) told(selected bool) (steps map[string][]revision, before map[string]revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	steps, before = map[string][]revision{}, map[string]revision{}
	for key, w := range h.before {
		if !w.gone && (w.selected || !selected) {
			before[key] = w.revision
		}
	}
	for key, all := range h.steps {
		_, there := before[key]
		for _, w := range all {
			switch shown := !w.gone && (w.selected || !selected); {
			case shown:
				steps[key] = append(steps[key], w.revision)
				there = true
			case there:
				steps[key] = append(steps[key], revision{uid: w.uid, gone: true})
				there = false
			}
		}
	}
	return steps, before
}

// now returns the current objects.
func (h *history) now(selected bool) map[string]revision {
	steps, now := h.told(selected)
	now = maps.Clone(now)
	for key, all := range steps {
		if last := all[len(all)-1]; last.gone {
			delete(now, key)
		} else {
			now[key] = last
		}
	}
	return now
}
