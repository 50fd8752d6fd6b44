package insight

import "time"

// Viewer is the person of a request.
type Viewer struct {
	// Sees reports whether the person may see a namespace; nil: all. It must not use the
	// index.
	Sees func(cluster, namespace string) bool
	// SeesPods reports whether the person may see the pods of the jobs of a namespace; nil: all.
	SeesPods func(cluster, namespace string) bool
	// Language is the language of the sentences: "en" or "zh".
	Language string
	// At is the instant that an answer describes; zero: now.
	At time.Time
}

func (v *Viewer) sees(cluster, namespace string) bool {
	return v.Sees == nil || v.Sees(cluster, namespace)
}

func (v *Viewer) seesPods(cluster, namespace string) bool {
	return v.SeesPods == nil || v.SeesPods(cluster, namespace)
}
