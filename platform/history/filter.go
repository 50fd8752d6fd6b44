package history

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Filter selects objects, or the transitions of objects. An object must match all fields
// that are set. The zero value selects everything.
type Filter struct {
	// Cluster is the name or the UID of a cluster.
	Cluster string
	// Types are types of objects. An object must have one of them. Kind is ignored. nil
	// selects all types.
	Types []Type
	// Namespace is the namespace of the objects.
	Namespace string
	// Owner is the controller of the objects.
	Owner Owner
	// Labels select the labels of the objects; see ParseLabels. nil selects all. A deleted object
	// keeps its last labels.
	Labels labels.Selector
	// Queue is the queue of the objects, and Submitter is their submitter.
	Queue, Submitter string
	// States are the states of objects, or the new states of transitions. Any of them
	// matches.
	States []job.State
	// Since and Until limit the time of transitions, or the time when objects entered their
	// state. Since is inclusive, and Until is exclusive. Zero means no limit.
	Since, Until time.Time
	// Created selects objects that were created at this time or later. Zero means all.
	Created time.Time
}

// Owner identifies the controller of objects: by kind and name, by UID, or by both.
type Owner struct{ Kind, Name, UID string }

// selection is a filter that is resolved to row IDs.
type selection struct {
	conditions []model.Condition
	states     []string // nil: all
	from, to   int64    // microseconds; from is inclusive, to exclusive
	nothing    bool     // the filter names a cluster or types that are not recorded
	unindexed  bool     // a condition can reject most rows, and has no terms in the index
}

// resolve looks up the clusters and the types that a filter names.
func (f Filter) resolve(ctx context.Context, q sqldb.Querier) (*selection, error) {
	s := &selection{from: math.MinInt64, to: math.MaxInt64}
	if !f.Since.IsZero() {
		s.from = model.Micros(f.Since)
	}
	if !f.Until.IsZero() {
		s.to = model.Micros(f.Until)
	}
	var err error
	if s.states, err = stateWords(f.States); err != nil {
		return nil, err
	}
	if f.Cluster != "" {
		ids, err := model.ClusterIDs(ctx, q, f.Cluster)
		if err != nil {
			return nil, err
		}
		s.nothing = s.nothing || len(ids) == 0
		s.conditions = append(s.conditions, model.OfClusters(ids))
	}
	if f.Types != nil {
		ids, err := model.ResourceIDs(ctx, q, f.Types)
		if err != nil {
			return nil, err
		}
		s.nothing = s.nothing || len(ids) == 0
		s.conditions = append(s.conditions, model.OfTypes(ids))
	}
	for _, c := range []struct {
		value     string
		condition func(string) model.Condition
	}{{f.Namespace, model.InNamespace}, {f.Owner.UID, model.OwnedByUID}, {f.Queue, model.InQueue}, {f.Submitter, model.SubmittedBy}} {
		if c.value != "" {
			s.conditions = append(s.conditions, c.condition(c.value))
		}
	}
	switch {
	case f.Owner.Kind != "" && f.Owner.Name != "":
		s.conditions = append(s.conditions, model.OwnedBy(f.Owner.Kind, f.Owner.Name))
	case (f.Owner.Kind != "" || f.Owner.Name != "") && f.Owner.UID == "":
		return nil, fmt.Errorf("the owner %q/%q is incomplete: name a kind and a name, or a UID", f.Owner.Kind, f.Owner.Name)
	}
	if !f.Created.IsZero() {
		s.conditions = append(s.conditions, model.CreatedSince(f.Created))
	}
	of, err := labelConditions(f.Labels)
	s.conditions = append(s.conditions, of...)
	s.unindexed = slices.ContainsFunc(of, func(c model.Condition) bool { return c.Terms == nil })
	return s, err
}

// stateWords returns the words of states without duplicates.
func stateWords(all []job.State) (words []string, err error) {
	known := model.States()
	for _, s := range all {
		if !slices.Contains(known, string(s)) {
			return nil, fmt.Errorf("unknown state %q: use one of %s", s, strings.Join(known[1:], ", "))
		}
		if !slices.Contains(words, string(s)) {
			words = append(words, string(s))
		}
	}
	return words, nil
}
