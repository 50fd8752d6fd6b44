package retention

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/job"
)

// Rule replaces Policy.Keep for some objects. It selects those that have all properties that are
// set.
type Rule struct {
	// Namespaces select by the namespace, which is "" for an object without one.
	Namespaces []glob.Pattern
	// Labels selects by the last recorded labels. nil selects all.
	Labels labels.Selector
	// States are states of objects, and of deleted objects before the deletion.
	States []job.State
	// Keep is how long revisions and transitions stay after they were seen.
	Keep time.Duration
}

// check returns an error if a rule is invalid.
func (r *Rule) check() error {
	switch {
	case r.Keep <= 0:
		return fmt.Errorf("its Keep is %v; it must be positive", r.Keep)
	case len(r.Namespaces) == 0 && r.Labels == nil && len(r.States) == 0:
		return errors.New("it selects all objects: set Policy.Keep")
	case slices.Contains(r.States, job.Deleted):
		return errors.New("its States contain Deleted: name the state before the deletion")
	}
	return nil
}

// selects reports whether a rule is about an object.
func (r *Rule) selects(o *object) bool {
	return glob.MatchesAny(r.Namespaces, o.namespace) &&
		(len(r.States) == 0 || slices.Contains(r.States, o.state)) &&
		(r.Labels == nil || r.Labels.Matches(labels.Set(o.labels)))
}
