package readapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/stats"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// Shares of all people together, and of each person.
const (
	maxFollowers, followersOfOne = 256, 32 // logs that are followed
	maxDiffs, diffsOfOne         = 4, 1    // differences that are computed
	maxCounts, countsOfOne       = 8, 2    // statistics, timelines and overviews that are computed
)

// reader has the data sources of all operations.
type reader struct {
	Config
	history    *history.History
	logs       *joblog.Store
	rows       *jobview.Enricher
	clusters   *memo[[]api.Cluster]
	statistics *stats.Reader
	periods    *memo[*api.Stats]
	ops        *memo[*api.Operations]

	followers, diffs, counts *web.Share
}

func newReader(c Config) *reader {
	c = c.withDefaults()
	h := history.New(c.Histories)
	return &reader{
		Config: c, history: h, logs: joblog.New(c.Histories, joblog.Limits{}, nil), rows: jobview.NewEnricher(h),
		statistics: stats.New(stats.Config{DB: c.Histories, Index: c.Index, Now: c.Now}),
		clusters:   newMemo[[]api.Cluster](30*time.Second, 256),
		periods:    newMemo[*api.Stats](2*time.Second, 64),
		ops:        newMemo[*api.Operations](2*time.Second, 4),
		followers:  web.NewShare(maxFollowers, followersOfOne),
		diffs:      web.NewShare(maxDiffs, diffsOfOne),
		counts:     web.NewShare(maxCounts, countsOfOne),
	}
}

// question is a request for jobs: the person, the filter, and the instant.
type question struct {
	jobindex.Query
	sight    Sight
	person   identity.Person
	language string
	now      time.Time
	at       time.Time // the instant that the answer describes
}

// ask reads the person and the instant of a request. text is the parameter at.
//
// Errors: *api.Problem: the portal is still loading; the person must sign in; a mistake in
// at.
func (r *reader) ask(ctx context.Context, text string) (*question, error) {
	select {
	case <-r.Index.Ready():
	default:
		return nil, web.Loading(r.Index.Done())
	}
	s, err := r.Sight(ctx)
	if err != nil {
		return nil, err
	}
	q := &question{sight: s, person: identity.Of(ctx), language: web.LanguageOf(ctx), now: r.Now()}
	q.at = q.now
	at, err := momentOf(text, "at", q.now)
	if err != nil {
		return nil, err
	}
	if !at.IsZero() && at.Before(q.now) { // the future is unknown: the answer is the current one
		q.At, q.at = at, at
	}
	if !s.All() {
		q.Sees, q.Since = s.Sees, s.Since
	}
	q.SeesPods = s.SeesPods
	q.Mine = q.person.Names
	return q, nil
}

// askFor is ask for a list of jobs, with the filters of the URL.
//
// Errors: those of ask; mistakes in the filters.
func (r *reader) askFor(ctx context.Context, text string) (*question, error) {
	q, err := r.ask(ctx, text)
	if err != nil {
		return nil, err
	}
	f, err := jobfilter.Parse(web.Query(ctx))
	if err != nil {
		var fields []api.FieldProblem
		for _, m := range jobfilter.Mistakes(err) {
			fields = append(fields, api.FieldProblem{Field: m.Parameter, Message: m.Problem})
		}
		return nil, web.Invalid("The filter has mistakes.", fields...)
	}
	q.Filter = f
	return q, nil
}

// sees reports whether the person may see a job.
func (q *question) sees(row *jobindex.Row) bool {
	return q.sight.SeesJob(row.Cluster, row.ClusterUID, row.Type, row.Namespace, row.Submitted)
}

// job returns the row of a job that the person may see. The problem does not reveal whether
// the job exists.
//
// Errors: those of ask; *api.Problem.
func (r *reader) job(ctx context.Context, ref JobPath, at string) (*question, *jobindex.Row, error) {
	q, err := r.ask(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	var row jobindex.Row
	found := false
	err = r.Index.View(func(v *jobindex.View) error {
		row, found = v.Job(ref.Cluster, ref.UID, q.At)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if found && !q.sees(&row) { // the bindings of the person may be unknown, although the namespace is known
		if q.sight, err = r.Sight(access.WithNamespaces(ctx, row.Namespace)); err != nil {
			return nil, nil, err
		}
	}
	if !found || !q.sees(&row) {
		return nil, nil, unknownJob()
	}
	return q, &row, nil
}

// unknownJob is the answer for a job that does not exist or may not be seen.
func unknownJob() *api.Problem {
	return web.Unknown("This job does not exist, or you may not see it. Its history may have been removed.")
}

// JobPath identifies a job in a path.
type JobPath struct {
	Cluster string `path:"cluster" maxLength:"253" doc:"The name of the cluster"`
	UID     string `path:"uid" maxLength:"63" doc:"The UID of the job"`
}

// object returns the object of a row.
//
// Errors: *api.Problem if retention has just removed it; those of the database.
func (r *reader) object(ctx context.Context, row *jobindex.Row) (history.Object, error) {
	all, err := r.history.ObjectsByID(ctx, []int64{row.ID})
	switch {
	case err != nil:
		return history.Object{}, fmt.Errorf("read the object of a job: %w", err)
	case len(all) == 0:
		return history.Object{}, web.Gone("Retention has removed the history of this job.")
	}
	return all[0], nil
}

// mapped returns the problem of an error of the history or the index.
func mapped(err error) error {
	switch {
	case errors.Is(err, history.ErrNoBody):
		return web.Gone("Retention has removed the content of this revision. Its state and its times remain.")
	case errors.Is(err, history.ErrUnknown):
		return web.Unknown("There is no such revision.")
	case errors.Is(err, history.ErrCursor), errors.Is(err, jobindex.ErrCursor), errors.Is(err, stats.ErrCursor):
		return web.Invalid("The cursor is not one of this list. Begin again without it.", api.FieldProblem{Field: "after", Message: "not a cursor of this list"})
	case errors.Is(err, jobindex.ErrSort), errors.Is(err, stats.ErrOrder):
		return web.Invalid("The order is not known.", api.FieldProblem{Field: "sort", Message: err.Error()})
	case errors.Is(err, stats.ErrWindow):
		return web.Invalid("The window is empty.", api.FieldProblem{Field: "to", Message: "want a time after from"})
	case errors.Is(err, jobview.ErrSecret):
		return web.Denied("The data of Secrets is not shown.", "")
	case errors.Is(err, jobview.ErrLarge):
		return &api.Problem{Type: api.ProblemTooLarge, Title: "The revision is too large", Status: http.StatusUnprocessableEntity, Detail: "Its values are nested too deep to be shown as YAML. `vedette show -o json` prints it."}
	}
	return err
}

// momentOf reads a parameter with an instant; the empty text is the zero time.
//
// Errors: *api.Problem.
func momentOf(text, field string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := jobfilter.Moment(text, now)
	if err != nil {
		return at, web.Invalid("The time cannot be read.", api.FieldProblem{Field: field, Message: err.Error()})
	}
	return at, nil
}
