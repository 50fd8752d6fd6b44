package modeltest

import (
	"context"
	"database/sql"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Link makes all objects of types of jobs that have no row of jobs and are no parts to jobs,
// with the facts of their names, and stores which objects belong to which job. It is for tests
// that write rows of objects themselves.
func Link(ctx context.Context, db *sqldb.DB) error {
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		var all []model.Part
		var jobs []parts.Job
		var rows []model.JobRow
		err := tx.Query(ctx, "SELECT o.id, o.cluster_id, o.namespace, o.name, o.uid, o.created_at, o.owner_uid, o.owner_kind, r.api_group, r.name, r.kind, CASE WHEN j.object_id IS NULL THEN 0 ELSE 1 END"+
			" FROM objects o JOIN resources r ON r.id = o.resource_id LEFT JOIN jobs j ON j.object_id = o.id ORDER BY o.id", nil, func(row *sql.Rows) error {
			var p model.Part
			var of model.Type
			var name string
			var stored bool
			if err := row.Scan(&p.ID, &p.Cluster, &p.Namespace, &name, &p.UID, &p.CreatedAt, &p.Owner.UID, &p.Owner.Kind, &of.Group, &of.Resource, &of.Kind, &stored); err != nil {
				return err
			}
			p.Pod = of.Group == "" && of.Resource == "pods"
			all = append(all, p)
			if !job.IsJobType(of.String()) || slices.Contains(job.Parents(), p.Owner.Kind) {
				return nil
			}
			j := parts.Job{ID: p.ID, Cluster: p.Cluster, Namespace: p.Namespace, UID: p.UID, CreatedAt: p.CreatedAt}
			if !stored {
				facts := job.ReadSpec(map[string]any{"apiVersion": of.Group + "/v1", "kind": of.Kind, "metadata": map[string]any{"name": name}}).Facts("")
				rows = append(rows, model.JobRow{ObjectID: p.ID, Facts: &facts})
			}
			jobs = append(jobs, j)
			return nil
		})
		if err != nil {
			return err
		}
		ids := make([]int64, len(all))
		for i := range all {
			ids[i] = all[i].ID
		}
		labels, err := model.LabelsOf(ctx, tx, ids)
		if err != nil {
			return err
		}
		for i := range all {
			all[i].Labels = labels[all[i].ID]
		}
		if err := model.InsertJobs(ctx, tx, rows); err != nil {
			return err
		}
		facts, err := model.FactsOf(ctx, tx, ids)
		for i := range jobs {
			jobs[i].Facts = facts[jobs[i].ID]
		}
		if err != nil {
			return err
		}
		if _, err := parts.Link(ctx, tx, &parts.Written{Parts: all, Jobs: jobs}); err != nil {
			return err
		}
		return jobstatus.Update(ctx, tx, ids)
	})
}
