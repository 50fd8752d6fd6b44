package recordapi

import (
	"context"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/records"
)

// unrecorded answers with the parts of the history that are not current, in the clusters of
// which the person sees jobs.
func unrecorded(r *reader, ctx context.Context, _ *struct{}) (*api.UnrecordedList, error) {
	e, err := newViewer(ctx, r, "")
	if err != nil {
		return nil, err
	}
	all, err := r.history.Unrecorded(ctx)
	if err != nil {
		return nil, mapped(err)
	}
	var some []history.Unrecorded
	for _, u := range all {
		if u.Cluster == "" || e.sight.All() || e.sight.SeesCluster(u.Cluster) {
			some = append(some, u)
		}
	}
	return &api.UnrecordedList{Unrecorded: records.OfUnrecorded(some)}, nil
}
