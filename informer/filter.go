package informer

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/store"
)

// Filter chooses the events of a consumer, based on data that can be read without decoding.
// The zero value chooses all events.
//
// Some filters choose objects. When an object is no longer chosen, the consumer gets a
// Deleted event by store.Unwatched, with the object's last chosen state; when an object
// becomes chosen, it gets an Added event. Other filters choose updates; the consumer
// does not see the rest. Filters that choose objects are applied first, whatever the
// order in SubscriptionConfig.Filters. For folded changes, a filter sees the state before the
// first change and the state after the last; for an object that came and went, it sees
// the last state.
type Filter struct {
	object func(store.Entry) bool
	update func(old, now store.Entry) bool
	// typed returns the same filter for the objects of an informer, which have the type of
	// its Config. It is nil for a filter that decodes nothing.
	typed func(completion) Filter
}

// typedBy returns filters for the objects of an informer.
func typedBy(filters []Filter, c completion) []Filter {
	all := slices.Clone(filters)
	for i, f := range all {
		if f.typed != nil {
			all[i] = f.typed(c)
		}
	}
	return all
}

// ChoosesObjects reports whether the filter chooses objects.
func (f Filter) ChoosesObjects() bool { return f.object != nil }

// ChoosesUpdates reports whether the filter may skip an update of an object that its
// consumer follows. Then several revisions are one state to the consumer, and the last
// revision does not tell which revision was the first of that state.
func (f Filter) ChoosesUpdates() bool { return f.update != nil }

// InNamespaces chooses the objects of some namespaces.
func InNamespaces(names ...string) Filter {
	return Filter{object: func(e store.Entry) bool { return slices.Contains(names, e.Key().Namespace) }}
}

// WithLabels chooses the objects whose labels match a selector, such as "app=web,tier!=test",
// in the syntax of Config.LabelSelector. It reads the labels from the encoded bytes.
//
// Errors: a selector that cannot be parsed.
func WithLabels(selector string) (Filter, error) {
	chosen, err := labels.Parse(selector)
	if err != nil {
		return Filter{}, err
	}
	return Filter{object: func(e store.Entry) bool { return chosen.Matches(labelsOf(e)) }}, nil
}

// Where returns a filter that chooses objects by a function. The function runs on the
// consumer's goroutine and must always return the same result for the same revision. If
// it panics, the panic is logged and the change passes.
func Where(chosen func(store.Entry) bool) Filter { return Filter{object: chosen} }

// LabelsChanged chooses the updates that change labels.
func LabelsChanged() Filter {
	return Filter{update: func(old, now store.Entry) bool { return !maps.Equal(labelsOf(old), labelsOf(now)) }}
}

// AnyUpdate chooses the updates that at least one of the given filters chooses, such as
// changes of the spec or of labels. If one of the filters chooses objects, AnyUpdate
// chooses every update.
func AnyUpdate(filters ...Filter) Filter {
	if slices.ContainsFunc(filters, func(f Filter) bool { return f.update == nil }) {
		return Filter{}
	}
	return Filter{
		update: func(old, now store.Entry) bool {
			return slices.ContainsFunc(filters, func(f Filter) bool { return f.update(old, now) })
		},
		typed: func(c completion) Filter { return AnyUpdate(typedBy(filters, c)...) },
	}
}

// filtered returns a change as the filters leave it, and whether anything is left.
// Filters on objects come first, because an update that moves an object into or out of
// the chosen set is an addition or a deletion to the consumer.
func filtered(filters []Filter, c store.Change) (store.Change, bool) {
	for _, f := range filters {
		if f.object == nil {
			continue
		}
		var ok bool
		if c, ok = f.choose(c); !ok {
			return c, false
		}
	}
	if c.Kind != store.Updated || c.Cause == store.Resynced {
		return c, true
	}
	for _, f := range filters {
		if f.update != nil && !f.update(c.Old, c.New) {
			return c, false
		}
	}
	return c, true
}

// choose returns a change as it appears to a consumer that gets only the chosen objects.
func (f Filter) choose(c store.Change) (store.Change, bool) {
	was := !c.Old.IsZero() && f.object(c.Old)
	switch c.Kind {
	case store.Added:
		return c, f.object(c.New)
	case store.Deleted:
		return c, was
	}
	is := f.object(c.New)
	switch {
	case was && !is:
		return store.Change{Kind: store.Deleted, Cause: store.Unwatched, Old: c.Old, Seen: c.Seen, Folded: c.Folded}, true
	case is && !was:
		return store.Change{Kind: store.Added, Cause: c.Cause, New: c.New, Seen: c.Seen, Folded: c.Folded}, true
	}
	return c, is
}
