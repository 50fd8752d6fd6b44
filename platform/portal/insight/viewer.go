package insight

import "time"

// Viewer is the person of a request.
type Viewer struct {
	// Since reports whether the person may see the jobs of a namespace, and those created from which
	// time on; nil: all. It must not use the index. An empty UID is the present cluster of the name.
	Since func(cluster, clusterUID, namespace string) (time.Time, bool)
	// SeesPods reports whether the person may see the pods of the jobs of a namespace; nil: all.
	SeesPods func(cluster, namespace string) bool
	// Language is the language of the sentences: "en" or "zh".
	Language string
	// At is the instant that an answer describes; zero: now.
	At time.Time
}

func (v *Viewer) since(cluster, clusterUID, namespace string) (time.Time, bool) {
	if v.Since == nil {
		return time.Time{}, true
	}
	return v.Since(cluster, clusterUID, namespace)
}

func (v *Viewer) seesPods(cluster, namespace string) bool {
	return v.SeesPods == nil || v.SeesPods(cluster, namespace)
}
