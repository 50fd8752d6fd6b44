package record

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/state"
)

// Filter says which objects are wanted, or the transitions of which objects. Of what is
// set, all has to hold; the zero value is for all.
type Filter struct {
	// Cluster is the name or the UID of a cluster.
	Cluster string
	// Types are the types of objects, as Types returns them: any of them.
	Types []Type
	// Namespace is the namespace of objects.
	Namespace string
	// Owner is who controls objects.
	Owner Owner
	// Labels are labels that objects have, or had last: all of them.
	Labels []Label
	// Queue is where objects wait, and Submitter who has made them.
	Queue, Submitter string
	// States are states that transitions lead to, or that objects are in: any of them.
	States []state.State
	// Since and Until bound the time of transitions, of objects that of the last one:
	// from Since on, and before Until. Zero: no bound.
	Since, Until time.Time
}

// Owner names who controls an object. With a UID, kind and name need not be set.
type Owner struct{ Kind, Name, UID string }

// Label is a label and its value.
type Label struct{ Name, Value string }

// search is a filter as the database is asked.
type search struct {
	// conditions hold for the row o of objects, with ? for args.
	conditions []string
	args       []any
	// terms are what is wanted has: of each of them, one.
	terms [][]term
	// states are what is wanted; nil: any.
	states []string
	// from and to bound the time: from <= t < to.
	from, to int64
	// nothing can be found.
	nothing bool
}

// search looks up what the filter names.
func (d *Database) search(ctx context.Context, f Filter) (*search, error) {
	s := &search{from: math.MinInt64, to: math.MaxInt64}
	if !f.Since.IsZero() {
		s.from = micros(f.Since)
	}
	if !f.Until.IsZero() {
		s.to = micros(f.Until)
	}
	for _, st := range f.States {
		if !slices.Contains(states, string(st)) {
			return nil, fmt.Errorf("there is no state %q; there are %s", st, strings.Join(states[1:], ", "))
		}
		if !slices.Contains(s.states, string(st)) {
			s.states = append(s.states, string(st))
		}
	}
	if f.Cluster != "" {
		ids, err := d.numbers(ctx, "SELECT id FROM clusters WHERE name = ? OR uid = ?", f.Cluster, f.Cluster)
		if err != nil {
			return nil, err
		}
		s.among("o.cluster_id", byCluster, ids)
	}
	if f.Types != nil {
		var ids []int64
		for _, t := range f.Types {
			found, err := d.numbers(ctx, "SELECT id FROM resources WHERE api_group = ? AND name = ?", t.Group, t.Resource)
			if err != nil {
				return nil, err
			}
			ids = append(ids, found...)
		}
		s.among("o.resource_id", byType, ids)
	}
	s.is("o.namespace", byNamespace, f.Namespace)
	s.is("o.owner_uid", byOwnerUID, f.Owner.UID)
	s.is("o.queue", byQueue, f.Queue)
	s.is("o.submitter", bySubmitter, f.Submitter)
	switch {
	case f.Owner.Kind != "" && f.Owner.Name != "":
		s.where(termOf(byOwner, f.Owner.Kind, f.Owner.Name), "o.owner_kind = ? AND o.owner_name = ?", f.Owner.Kind, f.Owner.Name)
	case (f.Owner.Kind != "" || f.Owner.Name != "") && f.Owner.UID == "":
		return nil, fmt.Errorf("the owner %q/%q needs a kind and a name, or a UID", f.Owner.Kind, f.Owner.Name)
	}
	for _, l := range f.Labels {
		s.where(termOf(byLabel, l.Name, l.Value), "EXISTS (SELECT 1 FROM labels l WHERE l.object_id = o.id AND l.name = ? AND l.value = ?)", l.Name, l.Value)
	}
	return s, nil
}

func (s *search) where(t term, condition string, args ...any) {
	s.conditions, s.args = append(s.conditions, condition), append(s.args, args...)
	s.terms = append(s.terms, []term{t})
}

func (s *search) is(column, kind, value string) {
	if value != "" {
		s.where(termOf(kind, "", value), column+" = ?", value)
	}
}

func (s *search) among(column, kind string, ids []int64) {
	if len(ids) == 0 {
		s.nothing = true
		return
	}
	var terms []term
	for _, id := range ids {
		terms = append(terms, numberTerm(kind, id))
	}
	s.terms = append(s.terms, terms)
	s.conditions = append(s.conditions, column+" IN "+numbers(ids))
}

// states are all that there are; the first is none.
var states = []string{
	"", string(state.Submitted), string(state.Queued), string(state.Suspended), string(state.Starting), string(state.Running), string(state.Restarting),
	string(state.Succeeded), string(state.Failed), string(state.Aborted), string(state.Deleted),
}

// numbers returns "(1, 2)".
func numbers(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return "(" + b.String() + ")"
}

// numbers returns the numbers that a query finds.
func (d *Database) numbers(ctx context.Context, query string, args ...any) (ids []int64, err error) {
	err = d.rows(ctx, query, args, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}
