package client

import (
	"context"
	"iter"
	"maps"
	"net/url"
	"strconv"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Session returns the portal's description of the person.
func (c *Client) Session(ctx context.Context) (*api.Session, error) {
	return get[api.Session](ctx, c, api.PathSession, nil)
}

// Jobs returns a page of jobs. q has filters, and the parameters sort, limit, after, before
// and at.
func (c *Client) Jobs(ctx context.Context, q url.Values) (*api.JobList, error) {
	return get[api.JobList](ctx, c, api.PathJobs, q)
}

// AllJobs returns the jobs of all pages. It stops at the first error.
func (c *Client) AllJobs(ctx context.Context, q url.Values) iter.Seq2[api.Job, error] {
	return func(yield func(api.Job, error) bool) {
		page := url.Values{}
		maps.Copy(page, q)
		for {
			list, err := c.Jobs(ctx, page)
			if err != nil {
				yield(api.Job{}, err)
				return
			}
			for _, j := range list.Jobs {
				if !yield(j, nil) {
					return
				}
			}
			if list.Next == "" {
				return
			}
			page.Set("after", list.Next)
		}
	}
}

// Counts returns the counts of jobs by state.
func (c *Client) Counts(ctx context.Context, q url.Values) (*api.JobCounts, error) {
	return get[api.JobCounts](ctx, c, api.PathCounts, q)
}

// Suggest completes a filter. q has key, prefix and n in addition to the filters.
func (c *Client) Suggest(ctx context.Context, q url.Values) (*api.Suggestions, error) {
	return get[api.Suggestions](ctx, c, api.PathSuggest, q)
}

// Find returns the newest job with a name.
func (c *Client) Find(ctx context.Context, cluster, typ, namespace, name string) (*api.JobRef, error) {
	return get[api.JobRef](ctx, c, filled(api.PathFind, cluster, typ, namespace, name), nil)
}

// Timeline returns the lives of jobs in an interval: the parameters from and to.
func (c *Client) Timeline(ctx context.Context, q url.Values) (*api.Timeline, error) {
	return get[api.Timeline](ctx, c, api.PathTimeline, q)
}

// Overview returns the number of jobs over time.
func (c *Client) Overview(ctx context.Context, q url.Values) (*api.Overview, error) {
	return get[api.Overview](ctx, c, api.PathOverview, q)
}

// Stats returns the statistics of a period: the parameters from, to and vs.
func (c *Client) Stats(ctx context.Context, q url.Values) (*api.Stats, error) {
	return get[api.Stats](ctx, c, api.PathStats, q)
}

// Waits returns the times that jobs waited, over time.
func (c *Client) Waits(ctx context.Context, q url.Values) (*api.StatsSeries, error) {
	return get[api.StatsSeries](ctx, c, api.PathStatsWaiting, q)
}

// of returns a path about a job.
func of(path string, job api.JobRef) string { return filled(path, job.Cluster, job.UID) }

// Job returns a job. q may have at.
func (c *Client) Job(ctx context.Context, job api.JobRef, q url.Values) (*api.JobDetail, error) {
	return get[api.JobDetail](ctx, c, of(api.PathJob, job), q)
}

// Waiting explains why a job waits.
func (c *Client) Waiting(ctx context.Context, job api.JobRef, q url.Values) (*api.Waiting, error) {
	return get[api.Waiting](ctx, c, of(api.PathWaiting, job), q)
}

// Failure explains why a job failed.
func (c *Client) Failure(ctx context.Context, job api.JobRef, q url.Values) (*api.Failure, error) {
	return get[api.Failure](ctx, c, of(api.PathFailure, job), q)
}

// Transitions returns a page of the transitions of a job: the parameters limit and after.
func (c *Client) Transitions(ctx context.Context, job api.JobRef, q url.Values) (*api.TransitionList, error) {
	return get[api.TransitionList](ctx, c, of(api.PathTransitions, job), q)
}

// Attempts returns the attempts of a job side by side.
func (c *Client) Attempts(ctx context.Context, job api.JobRef) (*api.AttemptList, error) {
	return get[api.AttemptList](ctx, c, of(api.PathAttempts, job), nil)
}

// Pods returns a page of the pods of a job.
func (c *Client) Pods(ctx context.Context, job api.JobRef, q url.Values) (*api.PodList, error) {
	return get[api.PodList](ctx, c, of(api.PathPods, job), q)
}

// Events returns a page of the events about a job and its pods.
func (c *Client) Events(ctx context.Context, job api.JobRef, q url.Values) (*api.EventList, error) {
	return get[api.EventList](ctx, c, of(api.PathEvents, job), q)
}

// Revisions returns a page of the revisions of a job.
func (c *Client) Revisions(ctx context.Context, job api.JobRef, q url.Values) (*api.RevisionList, error) {
	return get[api.RevisionList](ctx, c, of(api.PathRevisions, job), q)
}

// Body returns a job at a version, or at "last".
func (c *Client) Body(ctx context.Context, job api.JobRef, version string) (*api.Body, error) {
	return get[api.Body](ctx, c, filled(api.PathBody, job.Cluster, job.UID, version), nil)
}

// Diff returns the difference between two revisions: the parameters from, to, other and context.
func (c *Client) Diff(ctx context.Context, job api.JobRef, q url.Values) (*api.Diff, error) {
	return get[api.Diff](ctx, c, of(api.PathDiff, job), q)
}

// Logs returns a page of the log of a job.
func (c *Client) Logs(ctx context.Context, job api.JobRef, q url.Values) (*api.LogPage, error) {
	return get[api.LogPage](ctx, c, of(api.PathLogs, job), q)
}

// Notifications returns a page of the messages about a job.
func (c *Client) Notifications(ctx context.Context, job api.JobRef, q url.Values) (*api.DeliveryList, error) {
	return get[api.DeliveryList](ctx, c, of(api.PathNotifications, job), q)
}

// Operations returns the state of recorders, notifiers and the portal.
func (c *Client) Operations(ctx context.Context) (*api.Operations, error) {
	return get[api.Operations](ctx, c, api.PathOperations, nil)
}

// DeadLetters returns a page of the messages that were given up.
func (c *Client) DeadLetters(ctx context.Context, q url.Values) (*api.DeliveryList, error) {
	return get[api.DeliveryList](ctx, c, api.PathDeadLetters, q)
}

// Subscriptions returns the subscriptions of the person.
func (c *Client) Subscriptions(ctx context.Context) (*api.SubscriptionList, error) {
	return get[api.SubscriptionList](ctx, c, api.PathSubscriptions, nil)
}

// Templates returns the templates of jobs. With the parameter text=true they have their text.
func (c *Client) Templates(ctx context.Context, q url.Values) (*api.TemplateList, error) {
	return get[api.TemplateList](ctx, c, api.PathTemplates, q)
}

// Template returns a template of jobs.
func (c *Client) Template(ctx context.Context, name string) (*api.Template, error) {
	return get[api.Template](ctx, c, filled(api.PathTemplate, name), nil)
}

// number returns an ID as text.
func number(id int64) string { return strconv.FormatInt(id, 10) }
