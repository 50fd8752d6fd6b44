package apitest

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// garbage deletes objects whose owners are deleted. The server reports deletions and new objects to it.
type garbage interface {
	// propagate is called before an object is deleted.
	propagate(t *table, key string, o metav1.DeleteOptions, dry bool) error
	// marked is called after an object was marked for removal, because it has finalizers.
	marked(t *table, rev *revision)
	// created and removed are called after the changes.
	created(t *table, rev *revision, dry bool)
	removed(rev *revision)
}

// noCollector leaves all objects.
type noCollector struct{}

func (noCollector) propagate(*table, string, metav1.DeleteOptions, bool) error { return nil }
func (noCollector) marked(*table, *revision)                                   {}
func (noCollector) created(*table, *revision, bool)                            {}
func (noCollector) removed(*revision)                                          {}
