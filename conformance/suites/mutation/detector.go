package mutation

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/client-go/tools/cache"
)

// Reporter gets the findings, for example a *testing.T.
type Reporter interface {
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Detector checks the objects that its handlers get. It keeps all of them until the end
// of the test.
type Detector struct {
	to Reporter

	mu   sync.Mutex
	seen map[any][sha256.Size]byte // hash by pointer to the object
}

// NewDetector returns a detector that checks again when the test ends.
func NewDetector(to Reporter) *Detector {
	d := &Detector{to: to, seen: map[any][sha256.Size]byte{}}
	to.Cleanup(d.Check)
	return d
}

// Handler returns a handler that calls h, and reports objects that h has changed.
func (d *Detector) Handler(h cache.ResourceEventHandler) cache.ResourceEventHandler {
	return handler{d, h}
}

// Check reports all objects that have changed since a handler first got them.
func (d *Detector) Check() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for object, before := range d.seen {
		if hash(object) != before {
			d.to.Errorf("mutation: an object was changed after a handler got it: %s", name(object))
			d.seen[object] = hash(object)
		}
	}
}

// see records the hash of a new object, and checks the hash of a known one.
func (d *Detector) see(object any, when string) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	if object == nil {
		return
	}
	now := hash(object)
	d.mu.Lock()
	defer d.mu.Unlock()
	if before, known := d.seen[object]; known && before != now {
		d.to.Errorf("mutation: an object was changed %s: %s", when, name(object))
	}
	d.seen[object] = now
}

// hash returns a hash of the content of an object, without its internal caches.
func hash(object any) [sha256.Size]byte {
	text, err := json.Marshal(object)
	if err != nil {
		text = fmt.Appendf(nil, "%#v: %v", object, err)
	}
	return sha256.Sum256(text)
}

func name(object any) string {
	key, err := cache.MetaNamespaceKeyFunc(object)
	if err != nil {
		return fmt.Sprintf("%T", object)
	}
	return fmt.Sprintf("%T %s", object, key)
}

// handler checks objects around the calls of another handler.
type handler struct {
	detector *Detector
	inner    cache.ResourceEventHandler
}

func (h handler) around(call func(), objects ...any) {
	for _, object := range objects {
		h.detector.see(object, "before this handler got it")
	}
	call()
	for _, object := range objects {
		h.detector.see(object, fmt.Sprintf("by a handler of type %T, or concurrently", h.inner))
	}
}

// OnAdd calls the other handler.
func (h handler) OnAdd(object any, initial bool) {
	h.around(func() { h.inner.OnAdd(object, initial) }, object)
}

// OnUpdate calls the other handler.
func (h handler) OnUpdate(old, now any) {
	h.around(func() { h.inner.OnUpdate(old, now) }, old, now)
}

// OnDelete calls the other handler.
func (h handler) OnDelete(object any) {
	h.around(func() { h.inner.OnDelete(object) }, object)
}
