package readapi

import (
	"context"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// AtInput has the instant of an answer.
type AtInput struct {
	At string `query:"at" maxLength:"64" doc:"The instant that the answer describes: RFC 3339, 2026-11-22, 09:15 (UTC), or an age such as 24h"`
}

// jobsInput selects a page of jobs. Filters are read from the URL.
type jobsInput struct {
	AtInput
	Sort   string `query:"sort" maxLength:"32" doc:"submitted, since, waited, ran, gpus, tries, name, state, queue, owner or namespace; - before it for the opposite order"`
	Limit  int    `query:"limit" minimum:"0" maximum:"500" doc:"How many jobs, 50 by default"`
	After  string `query:"after" maxLength:"2048" doc:"The cursor of the page before"`
	Before string `query:"before" maxLength:"2048" doc:"The cursor of the page behind"`
}

// listJobs answers with a page of jobs, and with the counts of all that match.
func listJobs(r *reader, ctx context.Context, in *jobsInput) (*api.JobList, error) {
	q, err := r.askFor(ctx, in.At)
	if err != nil {
		return nil, err
	}
	if in.After != "" && in.Before != "" {
		return nil, web.Invalid("A page comes after one cursor or before one, not both.", api.FieldProblem{Field: "before", Message: "leave out after or before"})
	}
	q.Sort, q.Limit, q.After, q.Before = in.Sort, in.Limit, in.After, in.Before
	var page jobindex.Page
	var counts jobindex.Counts
	var position feed.Position
	err = r.Index.View(func(v *jobindex.View) error {
		position = v.Position()
		page, counts, err = v.List(q.Query)
		return err
	})
	if err != nil {
		return nil, mapped(err)
	}
	return &api.JobList{
		Jobs: shown(r, ctx, q, page.Rows), Next: page.Next, Previous: page.Previous, First: page.First,
		Counts: countsOf(counts), Position: int64(position), At: instant(q.at),
	}, nil
}

// shown returns rows for the API. Without an answer of the database they have only the facts
// of the index.
func shown(r *reader, ctx context.Context, q *question, rows []jobindex.Row) []api.Job {
	within, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	extras, err := r.rows.Extras(within, rows, q.At)
	if err != nil && ctx.Err() == nil {
		r.Logger.DebugContext(ctx, "rows lack messages and nodes, because the database did not answer", "err", err)
	}
	var places map[int64]int
	if q.At.IsZero() { // the line at an instant is unknown
		if places, err = r.Insight.Places(within, rows); err != nil && ctx.Err() == nil {
			r.Logger.DebugContext(ctx, "rows lack places in line, because the database did not answer", "err", err)
		}
	}
	jobs := make([]api.Job, len(rows))
	for i := range rows {
		extra := extras[rows[i].ID]
		if !q.sight.SeesPods(rows[i].Cluster, rows[i].Namespace) {
			extra = extra.WithoutPods()
		}
		extra.Place = places[rows[i].ID]
		jobs[i] = jobview.Job(&rows[i], extra)
	}
	return jobs
}

func countOf(c jobindex.Count) api.Count { return api.Count{N: c.N, More: c.More} }

func countsOf(c jobindex.Counts) api.Counts {
	all := api.Counts{States: make(map[string]api.Count, len(c.States)), All: countOf(c.All), Matching: countOf(c.Matching)}
	for s, n := range c.States {
		all.States[string(s)] = countOf(n)
	}
	return all
}

// countJobs answers with the counts alone.
func countJobs(r *reader, ctx context.Context, in *AtInput) (*api.JobCounts, error) {
	q, err := r.askFor(ctx, in.At)
	if err != nil {
		return nil, err
	}
	answer := &api.JobCounts{At: instant(q.at)}
	err = r.Index.View(func(v *jobindex.View) error {
		answer.Position = int64(v.Position())
		answer.Counts = countsOf(v.Count(q.Query))
		return nil
	})
	return answer, mapped(err)
}

// suggestInput asks for completions of a filter.
type suggestInput struct {
	AtInput
	Key    string `query:"key" maxLength:"64" doc:"The key whose values are wanted; empty for keys, and for names of jobs"`
	Prefix string `query:"prefix" maxLength:"512" doc:"What was typed"`
	N      int    `query:"n" minimum:"0" maximum:"100" doc:"How many, 10 by default"`
}

// suggest completes the input of the filter bar.
func suggest(r *reader, ctx context.Context, in *suggestInput) (*api.Suggestions, error) {
	q, err := r.askFor(ctx, in.At)
	if err != nil {
		return nil, err
	}
	if in.N == 0 {
		in.N = 10
	}
	answer := &api.Suggestions{Items: []api.Suggestion{}}
	err = r.Index.View(func(v *jobindex.View) error {
		for _, s := range v.Suggest(q.Query, in.Key, in.Prefix, in.N) {
			answer.Items = append(answer.Items, api.Suggestion{Key: string(s.Key), Value: s.Value, Count: countOf(s.Count)})
		}
		return nil
	})
	return answer, mapped(err)
}

// findInput identifies a job by its name.
type findInput struct {
	Cluster   string `path:"cluster" maxLength:"253" doc:"The name of the cluster"`
	Type      string `path:"type" maxLength:"317" doc:"jobs.batch"`
	Namespace string `path:"namespace" maxLength:"63" doc:"The namespace of the job"`
	Name      string `path:"name" maxLength:"253" doc:"The name of the job"`
}

// find answers with the newest job with a name.
func find(r *reader, ctx context.Context, in *findInput) (*api.JobRef, error) {
	q, err := r.ask(ctx, "")
	if err != nil {
		return nil, err
	}
	var row jobindex.Row
	found := false
	err = r.Index.View(func(v *jobindex.View) error {
		row, found = v.Newest(in.Cluster, in.Type, in.Namespace, in.Name)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !found || !q.sees(&row):
		return nil, unknownJob()
	}
	ref := jobview.Ref(&row)
	return &ref, nil
}
