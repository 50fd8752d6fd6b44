package clientgo

import (
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/informer"
)

// Health is the state of an informer.
type Health struct {
	// Accelerated means that the engine does the work; before the informer runs, that no
	// reason against it is known.
	Accelerated bool
	// Reason is why client-go's own informer does the work; "" if Accelerated.
	Reason string
	// Engine is the health of the engine; zero before it runs and if not Accelerated.
	Engine informer.Health
	// Stats are the counters of the engine; Decodes counts the decoded objects.
	Stats informer.Stats
}

// inside returns the informer that does the work: that of a wrapper with a method Inside,
// as the informers of controller-runtime's cache have it, and else inf itself.
func inside(inf cache.SharedIndexInformer) cache.SharedIndexInformer {
	if w, ok := inf.(interface {
		Inside() cache.SharedIndexInformer
	}); ok {
		inf = w.Inside()
	}
	return unwrap(inf)
}

// HealthOf returns the health of an informer. ok is false for informers that are not of
// this package.
func HealthOf(inf cache.SharedIndexInformer) (h Health, ok bool) {
	switch i := inside(inf).(type) {
	case stock:
		return Health{Reason: i.reason}, true
	case *shared:
		if reason := i.refused.Load(); reason != nil {
			return Health{Reason: *reason}, true
		}
		h := Health{Accelerated: true}
		if e := i.engine.Load(); e != nil {
			h.Engine, _ = e.Health()
			h.Stats = e.Stats()
			h.Stats.Decodes = i.codec.count.Load()
		}
		return h, true
	}
	return Health{}, false
}
