package insight

import "time"

// Viewer is the person who asks.
type Viewer struct {
	// Sees says which namespaces the person may see; nil: all. It must not use the index.
	Sees func(cluster, namespace string) bool
	// Language is that of the sentences: "en" or "zh".
	Language string
	// At is the instant that an answer describes; zero: now.
	At time.Time
}

func (v *Viewer) sees(cluster, namespace string) bool {
	return v.Sees == nil || v.Sees(cluster, namespace)
}
