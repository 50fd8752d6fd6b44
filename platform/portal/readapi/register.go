package readapi

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// Register adds the operations that read to an API. The caller runs the index, and closes the
// database after the last request.
func Register(a huma.API, c Config) {
	r := newReader(c)
	filters := web.Parameters(parameters())
	denied, gone := web.Problems(api.ProblemDenied), web.Problems(api.ProblemGone)
	get(a, r, api.PathSession, "get-session", "The person and the portal", session)
	get(a, r, api.PathJobs, "list-jobs", "Jobs, with counts by state", listJobs, filters)
	get(a, r, api.PathCounts, "count-jobs", "Counts of jobs by state", countJobs, filters)
	get(a, r, api.PathSuggest, "suggest", "Completions of a filter", suggest, filters)
	get(a, r, api.PathFind, "find-job", "The newest job of a name", find)
	get(a, r, api.PathTimeline, "get-timeline", "The lives of jobs in an interval", counting(timeline), filters)
	get(a, r, api.PathOverview, "get-overview", "Jobs over time, for the bars above the timeline", counting(overview), filters)
	get(a, r, api.PathStats, "get-stats", "Statistics of a period, and of another one to compare with", counting(statistics), filters)
	get(a, r, api.PathStatsWaiting, "get-waits", "The times that jobs waited, over time", counting(waits), filters)

	get(a, r, api.PathJob, "get-job", "A job", jobDetail)
	get(a, r, api.PathWaiting, "get-waiting", "Why a job waits", waiting)
	get(a, r, api.PathFailure, "get-failure", "Why a job failed", failure)
	get(a, r, api.PathTransitions, "list-transitions", "The transitions of a job, newest first", transitions)
	get(a, r, api.PathAttempts, "list-attempts", "The attempts of a job side by side", attempts, gone)
	get(a, r, api.PathPods, "list-pods", "The pods of a job", pods, gone)
	get(a, r, api.PathEvents, "list-events", "The Kubernetes events about a job and its pods, newest first", events, gone)
	get(a, r, api.PathRevisions, "list-revisions", "The revisions of a job, oldest first", revisions, gone)
	get(a, r, api.PathBody, "get-body", "A job at a revision, as YAML", body, gone, denied)
	get(a, r, api.PathDiff, "get-diff", "The difference between two revisions", diff, gone, denied)
	get(a, r, api.PathNotifications, "list-notifications", "The messages about a job, newest first", notifications)
	web.Stream(a, api.PathLogs, "get-logs", "The log of a job", func(ctx context.Context, in *logsInput) (*api.LogPage, web.Follow, error) {
		return logOrStream(r, ctx, in)
	}, web.Within(20*time.Second), gone, denied, web.Describe("With follow=true the answer is server-sent events: line with a LogLine; then end, rights or problem."))

	get(a, r, api.PathOperations, "get-operations", "Recorders, notifiers and the portal", operations, denied)
	get(a, r, api.PathDeadLetters, "list-dead-letters", "Messages that were given up, newest first", deadLetters, denied)
}

// get registers an operation that reads.
func get[I, O any](a huma.API, r *reader, path, id, summary string, h func(*reader, context.Context, *I) (*O, error), options ...web.Option) {
	web.Get(a, path, id, summary, func(ctx context.Context, in *I) (*O, error) { return h(r, ctx, in) }, options...)
}

// counting returns an operation that computes statistics while it holds a place.
func counting[I, O any](h func(*reader, context.Context, *I) (*O, error)) func(*reader, context.Context, *I) (*O, error) {
	return func(r *reader, ctx context.Context, in *I) (*O, error) {
		done, err := r.counts.Take(ctx, identity.Of(ctx).ID())
		if err != nil {
			return nil, err
		}
		defer done()
		return h(r, ctx, in)
	}
}

// parameters describes the filters that the URL of a list may have.
func parameters() map[string]string {
	all := map[string]string{"q": "Words that are parts of names"}
	for _, key := range jobfilter.Keys() {
		all[string(key)] = "Filter: repeated for any of several values; ! before a value excludes; * stands for any text; <, <=, > and >= compare"
	}
	return all
}
