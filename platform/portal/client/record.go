package client

import (
	"context"
	"net/url"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// RecordTypes returns the recorded types.
func (c *Client) RecordTypes(ctx context.Context) (*api.RecordTypes, error) {
	return get[api.RecordTypes](ctx, c, api.PathRecordTypes, nil)
}

// Records returns a page of the objects that had a name: the parameters type, name, namespace,
// all, cluster, limit, after and order.
func (c *Client) Records(ctx context.Context, q url.Values) (*api.RecordList, error) {
	return get[api.RecordList](ctx, c, api.PathRecords, q)
}

// RecordChanges returns a page of the transitions of many objects.
func (c *Client) RecordChanges(ctx context.Context, q url.Values) (*api.RecordChangeList, error) {
	return get[api.RecordChangeList](ctx, c, api.PathRecordChanges, q)
}

// RecordJobs returns a page of jobs: open ones first.
func (c *Client) RecordJobs(ctx context.Context, q url.Values) (*api.RecordJobList, error) {
	return get[api.RecordJobList](ctx, c, api.PathRecordJobs, q)
}

// RecordGaps returns a page of gaps.
func (c *Client) RecordGaps(ctx context.Context, q url.Values) (*api.RecordGapList, error) {
	return get[api.RecordGapList](ctx, c, api.PathRecordGaps, q)
}

// Unrecorded returns the parts of the history that are not current.
func (c *Client) Unrecorded(ctx context.Context) (*api.UnrecordedList, error) {
	return get[api.UnrecordedList](ctx, c, api.PathUnrecorded, nil)
}

// RecordStats returns the statistics of each type.
func (c *Client) RecordStats(ctx context.Context, q url.Values) (*api.RecordStats, error) {
	return get[api.RecordStats](ctx, c, api.PathRecordStats, q)
}

// RecordJob returns a job by the ID of its object.
func (c *Client) RecordJob(ctx context.Context, id int64) (*api.RecordJob, error) {
	return get[api.RecordJob](ctx, c, filled(api.PathRecordJob, number(id)), nil)
}

// RecordAttempts returns the chain of attempts of a job.
func (c *Client) RecordAttempts(ctx context.Context, id int64) (*api.RecordAttempts, error) {
	return get[api.RecordAttempts](ctx, c, filled(api.PathRecordAttempts, number(id)), nil)
}

// RecordTransitions returns a page of the transitions of an object.
func (c *Client) RecordTransitions(ctx context.Context, id int64, q url.Values) (*api.TransitionList, error) {
	return get[api.TransitionList](ctx, c, filled(api.PathRecordTransitions, number(id)), q)
}

// RecordRevisions returns a page of the revisions of an object.
func (c *Client) RecordRevisions(ctx context.Context, id int64, q url.Values) (*api.RevisionList, error) {
	return get[api.RevisionList](ctx, c, filled(api.PathRecordRevisions, number(id)), q)
}

// RecordBody returns an object at a version, or at "last".
func (c *Client) RecordBody(ctx context.Context, id int64, version string) (*api.RecordBody, error) {
	return get[api.RecordBody](ctx, c, filled(api.PathRecordBody, number(id), version), nil)
}
