package readapi

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight"
)

// waiting answers why a job waits.
func waiting(r *reader, ctx context.Context, in *jobInput) (*api.Waiting, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	v, err := viewerOf(r, ctx, q)
	if err != nil {
		return nil, err
	}
	return r.Insight.Waiting(ctx, row, v)
}

// failure answers why a job failed. Only people who may read the log get its lines.
func failure(r *reader, ctx context.Context, in *jobInput) (*api.Failure, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	v, err := viewerOf(r, ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := r.Insight.Failure(ctx, row, v)
	if err == nil && mayRead(r, ctx, access.Logs, row) != nil {
		f.Lines, f.LinesKept = nil, 0
	}
	return f, err
}

// viewerOf returns the person of the request. In a namespace where the person sees only some
// types of jobs, answers do not include other jobs.
func viewerOf(r *reader, ctx context.Context, q *question) (insight.Viewer, error) {
	v := insight.Viewer{Language: q.language, At: q.At, SeesPods: q.sight.SeesPods}
	if q.sight.All() {
		return v, nil
	}
	clusters, err := clustersOf(r, ctx, everything(q))
	v.Since = func(cluster, clusterUID, namespace string) (since time.Time, known bool) {
		for _, c := range clusters {
			if c.Name != cluster {
				continue
			}
			known = true
			for _, typ := range c.Types {
				from, some := q.sight.Since(cluster, clusterUID, typ, namespace)
				if !some {
					return time.Time{}, false
				}
				if from.After(since) {
					since = from
				}
			}
		}
		return since, known
	}
	return v, err
}
