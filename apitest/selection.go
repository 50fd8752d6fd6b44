package apitest

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// selection is the set of objects of a type that a request selects.
type selection struct {
	namespace string
	labels    labels.Selector // nil selects everything
	fields    fields.Selector // nil selects everything
	shard     *shardSelector  // nil selects everything
}

// newSelection rejects fields that the type does not support in selectors.
func newSelection(res *resource, namespace string, o *internalversion.ListOptions) (selection, error) {
	sel := selection{namespace: namespace}
	if o.LabelSelector != nil && !o.LabelSelector.Empty() {
		sel.labels = o.LabelSelector
	}
	if o.FieldSelector == nil || o.FieldSelector.Empty() {
		return sel, nil
	}
	sel.fields = o.FieldSelector
	for _, requirement := range o.FieldSelector.Requirements() {
		known := requirement.Field == "metadata.name" || requirement.Field == "metadata.namespace"
		if !known && !slices.Contains(res.SelectableFields, requirement.Field) {
			return sel, apierrors.NewBadRequest(fmt.Sprintf("%s does not support the field selector %q: field label not supported: %s",
				res.GroupVersionResource(), o.FieldSelector, requirement.Field))
		}
	}
	return sel, nil
}

// filters reports whether there is a selector besides the namespace.
func (s selection) filters() bool { return s.labels != nil || s.fields != nil || s.shard != nil }

// matches reports whether a revision is selected; nil is not.
func (s selection) matches(rev *revision) bool {
	return rev != nil &&
		(s.namespace == "" || s.namespace == rev.namespace) &&
		(s.labels == nil || s.labels.Matches(rev.labels)) &&
		(s.fields == nil || s.fields.Matches(rev)) &&
		(s.shard == nil || s.shard.matches(rev.uid))
}

// eventFor returns an event as a watch of the selection gets it: an object that begins to match is added, and an object
// that no longer matches is deleted. rev is nil if the watch does not get the event.
func (s selection) eventFor(e *event) (kind watch.EventType, rev *revision, err error) {
	before := s.matches(e.before)
	now := e.kind != watch.Deleted && s.matches(e.now)
	switch {
	case now && before:
		return watch.Modified, e.now, nil
	case now:
		return watch.Added, e.now, nil
	case before && e.kind == watch.Deleted:
		return watch.Deleted, e.now, nil
	case before:
		rev, err = e.deselected()
		return watch.Deleted, rev, err
	}
	return "", nil, nil
}
