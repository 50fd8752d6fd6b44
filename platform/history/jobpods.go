package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// podsOfJobs returns the pods of jobs by the IDs of the jobs, newest first. It reads at most
// most parts of all jobs.
func podsOfJobs(ctx context.Context, db *sqldb.DB, jobs []Object, most int) (map[int64][]Object, error) {
	ids := make([]int64, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	of := map[int64]int64{} // jobs by their parts
	if err := model.PartsOf(ctx, db, ids, most, func(job, part int64) { of[part] = job }); err != nil {
		return nil, db.Explain(err)
	}
	objects, err := objectsByID(ctx, db, model.SortedIDs(of))
	if err != nil {
		return nil, err
	}
	pods := map[int64][]Object{}
	for i := range objects {
		if o := &objects[i]; o.Type.Group == "" && o.Type.Resource == "pods" {
			pods[of[o.ID]] = append(pods[of[o.ID]], *o)
		}
	}
	for _, some := range pods {
		slices.SortFunc(some, func(x, y Object) int { return cmp.Or(y.Created.Compare(x.Created), cmp.Compare(y.ID, x.ID)) })
	}
	return pods, nil
}

// bodiesOf returns the last bodies of objects by their IDs.
func bodiesOf(ctx context.Context, db *sqldb.DB, reader *bodies.Reader, objects []*Object) (map[int64][]byte, error) {
	var ids []model.RevisionID
	for _, o := range objects {
		ids = append(ids, model.RevisionID{Object: o.ID, Version: o.Version})
	}
	texts, err := reader.ReadMany(ctx, db, ids)
	return texts, db.Explain(err)
}
