package records

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/wire"
)

// History reads the history through a portal. Its methods are those of history.History, limited to
// objects that the person may see. Any goroutine may use it.
type History struct{ c *client.Client }

// New returns a history that uses a client.
func New(c *client.Client) *History { return &History{c} }

// Types returns the recorded types.
func (h *History) Types(ctx context.Context) ([]history.Type, error) {
	list, err := h.c.RecordTypes(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]history.Type, len(list.Types))
	for i, t := range list.Types {
		all[i] = typeOf(t)
	}
	return all, nil
}

// Objects returns a page of the objects that had a name.
func (h *History) Objects(ctx context.Context, n history.ObjectName, p history.Paging) (page history.Page[history.Object], err error) {
	q := paging(p)
	set(q, "type", n.Type.String())
	set(q, "name", n.Name)
	set(q, "namespace", n.Namespace)
	set(q, "cluster", n.Cluster)
	if n.AllNamespaces {
		q.Set("all", "true")
	}
	list, err := h.c.Records(ctx, q)
	if err != nil {
		return page, err
	}
	return history.Page[history.Object]{Items: each(list.Records, objectOf), Next: history.Cursor(list.Next)}, nil
}

// Transitions returns a page of the transitions of an object.
func (h *History) Transitions(ctx context.Context, object int64, p history.Paging) (page history.Page[history.Transition], err error) {
	list, err := h.c.RecordTransitions(ctx, object, paging(p))
	if err != nil {
		return page, unknown(err)
	}
	return history.Page[history.Transition]{Items: each(list.Transitions, transitionOf), Next: history.Cursor(list.Next)}, nil
}

// Revisions returns a page of the revisions of an object.
func (h *History) Revisions(ctx context.Context, object int64, p history.Paging) (page history.Page[history.Revision], err error) {
	list, err := h.c.RecordRevisions(ctx, object, paging(p))
	if err != nil {
		return page, unknown(err)
	}
	return history.Page[history.Revision]{Items: each(list.Revisions, revisionOf), Next: history.Cursor(list.Next)}, nil
}

// Body returns an object as JSON at a version, or at its last version if version is 0.
func (h *History) Body(ctx context.Context, object int64, version wire.Version) (body []byte, at wire.Version, err error) {
	text := "last"
	if version != 0 {
		text = version.String()
	}
	b, err := h.c.RecordBody(ctx, object, text)
	if err != nil {
		return nil, 0, unknown(err)
	}
	return []byte(b.JSON), versionOf(b.Version), nil
}

// Job returns the row of one object. The portal's clock determines the length of open
// spans.
func (h *History) Job(ctx context.Context, object int64, _ time.Time) (history.Job, error) {
	j, err := h.c.RecordJob(ctx, object)
	if err != nil {
		return history.Job{}, unknown(err)
	}
	return jobOf(j), nil
}

// Attempts returns the chain of attempts that an object belongs to, as history.Chain.
func (h *History) Attempts(ctx context.Context, obj history.Object) ([]history.Attempt, error) {
	list, err := h.c.RecordAttempts(ctx, obj.ID)
	if err != nil {
		return nil, unknown(err)
	}
	return each(list.Attempts, attemptOf), nil
}

// ListTransitions returns a page of the transitions that match a filter.
func (h *History) ListTransitions(ctx context.Context, f history.Filter, p history.Paging) (page history.Page[history.Change], err error) {
	list, err := h.c.RecordChanges(ctx, filter(f, paging(p)))
	if err != nil {
		return page, err
	}
	return history.Page[history.Change]{Next: history.Cursor(list.Next), Items: each(list.Changes, func(c *api.RecordChange) history.Change {
		return history.Change{Object: objectOf(&c.Record), Transition: transitionOf(&c.Transition)}
	})}, nil
}

// ListJobs returns a page of the jobs that match a filter.
func (h *History) ListJobs(ctx context.Context, f history.Filter, p history.Paging, _ time.Time) (page history.JobPage, err error) {
	list, err := h.c.RecordJobs(ctx, filter(f, paging(p)))
	if err != nil {
		return page, err
	}
	page.Items, page.Next = each(list.Jobs, jobOf), history.Cursor(list.Next)
	if list.Open != nil {
		page.Open = map[job.State]int{}
		for word, n := range list.Open {
			page.Open[job.State(word)] = n
		}
	}
	return page, nil
}

// ListGaps returns a page of gaps.
func (h *History) ListGaps(ctx context.Context, f history.GapFilter, p history.Paging) (page history.Page[history.Gap], err error) {
	q := filter(history.Filter{Cluster: f.Cluster, Types: f.Types, Namespace: f.Namespace, Since: f.Since, Until: f.Until}, paging(p))
	if f.Open {
		q.Set("open", "true")
	}
	list, err := h.c.RecordGaps(ctx, q)
	if err != nil {
		return page, err
	}
	return history.Page[history.Gap]{Items: each(list.Gaps, gapOf), Next: history.Cursor(list.Next)}, nil
}

// Unrecorded returns the parts of the history that are not current.
func (h *History) Unrecorded(ctx context.Context) ([]history.Unrecorded, error) {
	list, err := h.c.Unrecorded(ctx)
	if err != nil {
		return nil, err
	}
	return each(list.Unrecorded, unrecordedOf), nil
}

// Stats returns the statistics of each type. It reports no progress.
func (h *History) Stats(ctx context.Context, f history.Filter, _ time.Time, _ func(int)) ([]history.TypeStats, error) {
	list, err := h.c.RecordStats(ctx, filter(f, url.Values{}))
	if err != nil {
		return nil, err
	}
	return each(list.Types, statsOf), nil
}

// each converts a list. An empty list becomes nil, as from a database.
func each[A, B any](all []A, of func(*A) B) (out []B) {
	for i := range all {
		out = append(out, of(&all[i]))
	}
	return out
}

// paging returns the parameters of a page.
func paging(p history.Paging) url.Values {
	q := url.Values{}
	set(q, "after", string(p.After))
	if p.Limit > 0 {
		q.Set("limit", strconv.Itoa(p.Limit))
	}
	if p.Order == history.OldestFirst {
		q.Set("order", "oldest")
	}
	return q
}

// filter adds the parameters of a filter.
func filter(f history.Filter, q url.Values) url.Values {
	set(q, "cluster", f.Cluster)
	set(q, "namespace", f.Namespace)
	set(q, "queue", f.Queue)
	set(q, "submitter", f.Submitter)
	set(q, "ownerKind", f.Owner.Kind)
	set(q, "ownerName", f.Owner.Name)
	set(q, "ownerUID", f.Owner.UID)
	for _, t := range f.Types {
		q.Add("type", t.String())
	}
	if f.Labels != nil {
		set(q, "label", f.Labels.String())
	}
	for _, s := range f.States {
		q.Add("state", string(s))
	}
	if !f.Since.IsZero() {
		q.Set("since", f.Since.UTC().Format(time.RFC3339Nano))
	}
	if !f.Until.IsZero() {
		q.Set("until", f.Until.UTC().Format(time.RFC3339Nano))
	}
	return q
}

// set sets a parameter that is not empty.
func set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

// unknown converts the problem of an unknown object to history.ErrUnknown.
func unknown(err error) error {
	var p *api.Problem
	if errors.As(err, &p) && p.Type == api.ProblemUnknown {
		return &unknownError{p}
	}
	return err
}

// unknownError is the problem of an unknown object.
type unknownError struct{ problem *api.Problem }

// Error returns the text of the problem.
func (e *unknownError) Error() string { return e.problem.Error() }

// Unwrap returns the problem, and history.ErrUnknown.
func (e *unknownError) Unwrap() []error { return []error{e.problem, history.ErrUnknown} }
