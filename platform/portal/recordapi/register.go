package recordapi

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// Register adds the operations to an API.
func Register(a huma.API, c Config) {
	if c.Now == nil {
		c.Now = time.Now
	}
	r := &reader{c, history.New(c.DB), web.NewShare(maxCounts, countsOfOne)}
	unknown, denied, gone := web.Problems(api.ProblemUnknown), web.Problems(api.ProblemDenied), web.Problems(api.ProblemGone)
	get(a, r, api.PathRecordTypes, "list-record-types", "The types that are recorded", types)
	get(a, r, api.PathRecords, "list-records", "The objects that had a name", named, unknown)
	get(a, r, api.PathRecordChanges, "list-record-changes", "The transitions of many objects", changes, unknown)
	get(a, r, api.PathRecordJobs, "list-record-jobs", "Jobs: open ones first, then the others, the newest first", jobs, unknown)
	get(a, r, api.PathRecordGaps, "list-record-gaps", "The gaps of a type", gaps, unknown)
	get(a, r, api.PathUnrecorded, "list-unrecorded", "The clusters and types that are not recorded now", unrecorded)
	get(a, r, api.PathRecordStats, "get-record-stats", "The statistics of each type", statistics, web.Within(2*time.Minute), unknown, denied)
	get(a, r, api.PathRecordJob, "get-record-job", "A job by the ID of its object", newJob)
	get(a, r, api.PathRecordAttempts, "list-record-attempts", "The chain of retries that a job belongs to", attempts)
	get(a, r, api.PathRecordTransitions, "list-record-transitions", "The transitions of an object", transitions)
	get(a, r, api.PathRecordRevisions, "list-record-revisions", "The revisions of an object", revisions)
	get(a, r, api.PathRecordBody, "get-record-body", "An object at a revision, as JSON", body, gone, denied)
}

// get registers an operation.
func get[I, O any](a huma.API, r *reader, path, id, summary string, h func(*reader, context.Context, *I) (*O, error), options ...web.Option) {
	web.Get(a, path, id, summary, func(ctx context.Context, in *I) (*O, error) { return h(r, ctx, in) }, options...)
}
