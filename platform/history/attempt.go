package history

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Attempt is a job of a chain: the first one, or a copy that repeats an earlier one.
type Attempt struct {
	// Number is the number of the job in the chain, from 1.
	Number int
	Object Object
	// State, Reason and Message are the outcome of an ended job, even if its object is
	// deleted, or the present state of an open job.
	State           job.State
	Reason, Message string
	// Ran is the total time in the state Running.
	Ran time.Duration
	// RetryOf is the UID of the job that this one repeats. It is empty for the first job.
	RetryOf string
	// CancelledBy and CancelReason are the actor and the reason of a cancellation.
	CancelledBy, CancelReason string
	// Changes are the differences from the job that this one repeats. Compared is false if
	// the body of one of the two is not recorded.
	Changes  []FieldChange
	Compared bool
}

// maxChain is the maximum number of attempts of a chain.
const maxChain = 200

// chain reads the attempts of one type.
type chain struct {
	db      *sqldb.DB
	limits  limits
	bodies  *bodies.Reader
	cluster string
	of      Type
}

func (c *chain) read(ctx context.Context, uid string) ([]Attempt, error) {
	root := uid
	members, err := c.withUID(ctx, uid)
	if err != nil {
		return nil, err
	}
	if len(members) > 0 {
		labels, err := model.LabelsOf(ctx, c.db, []int64{members[0].ID})
		if err != nil {
			return nil, err
		}
		root = cmp.Or(labels[members[0].ID][job.RetryRootLabel], uid)
	}
	namespace := ""
	if len(members) > 0 {
		namespace = members[0].Namespace
	}
	if root != uid {
		if members, err = c.withUID(ctx, root); err != nil {
			return nil, err
		}
		members = slices.DeleteFunc(members, func(m Object) bool { return namespace != "" && m.Namespace != namespace })
	}
	// A label of another namespace is a claim of other people.
	f := Filter{Cluster: c.cluster, Types: []Type{c.of}, Namespace: namespace, Labels: labels.SelectorFromSet(labels.Set{job.RetryRootLabel: root})}
	for o, err := range All(ctx, Paging{Limit: maxChain}, func(ctx context.Context, p Paging) (Page[Object], error) {
		return listObjects(ctx, c.db, c.limits, f, p)
	}) {
		if err != nil {
			return nil, err
		}
		if len(members) == maxChain {
			break
		}
		if !slices.ContainsFunc(members, func(m Object) bool { return m.ID == o.ID }) {
			members = append(members, o)
		}
	}
	if len(members) == 0 {
		return nil, fmt.Errorf("%s with UID %s: %w", c.of, uid, ErrUnknown)
	}
	return c.attempts(ctx, members)
}

// withUID returns the object with a UID, if it is recorded.
func (c *chain) withUID(ctx context.Context, uid string) ([]Object, error) {
	s, err := Filter{Cluster: c.cluster, Types: []Type{c.of}}.resolve(ctx, c.db)
	if err != nil || s.nothing {
		return nil, err
	}
	page, err := keysetPage(ctx, c.db, model.ObjectsWithUID(uid, s.conditions...), Paging{Limit: 1}, func(rows *sql.Rows) (Object, int64, error) {
		r, err := model.ScanObject(rows)
		return objectOf(&r), r.ID, err
	})
	return page.Items, err
}

// attempts describes the members of a chain.
func (c *chain) attempts(ctx context.Context, members []Object) ([]Attempt, error) {
	all := make([]Attempt, len(members))
	texts := map[string][]byte{} // bodies by UID
	lives, err := livesOf(ctx, c.db, members, instant{at: time.Now()})
	if err != nil {
		return nil, err
	}
	for i, o := range members {
		body, _, err := bodyAt(ctx, c.db, c.bodies, o.ID, 0)
		if err != nil && !errors.Is(err, ErrNoBody) && !errors.Is(err, ErrUnknown) {
			return nil, err
		}
		texts[o.UID] = body
		all[i] = attemptOf(o, body)
		if life := lives[o.ID]; !life.Open() {
			all[i].State = life.Outcome // Reason and Message of a deletion are those of the previous state
		}
		all[i].Ran = lives[o.ID].Ran
	}
	for i := range all {
		if a := &all[i]; a.RetryOf != "" && texts[a.RetryOf] != nil && texts[a.Object.UID] != nil {
			a.Changes, a.Compared = fieldChanges(texts[a.RetryOf], texts[a.Object.UID])
		}
	}
	slices.SortFunc(all, func(x, y Attempt) int {
		return cmp.Or(cmp.Compare(x.Number, y.Number), x.Object.Created.Compare(y.Object.Created), cmp.Compare(x.Object.ID, y.Object.ID))
	})
	return all, nil
}

// attemptOf returns the attempt that the annotations of an object describe.
func attemptOf(o Object, body []byte) Attempt {
	a := Attempt{Number: 1, Object: o, State: job.State(o.State), Reason: o.Reason, Message: o.Message}
	var object struct {
		Metadata struct {
			Annotations map[string]any `json:"annotations"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &object) != nil {
		return a
	}
	claim := func(name string) string {
		text, _ := object.Metadata.Annotations[name].(string)
		return text
	}
	a.RetryOf, a.CancelledBy, a.CancelReason = claim(job.RetryOfAnnotation), claim(job.CancelledByAnnotation), claim(job.CancelReasonAnnotation)
	a.Number = job.AttemptNumber(claim(job.AttemptAnnotation))
	return a
}
