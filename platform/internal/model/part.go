package model

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Part is an object that may belong to a job.
type Part struct {
	ID             int64
	Cluster        int64
	Namespace, UID string
	Owner          Owner
	Labels         map[string]string // of a pod
	Pod            bool
	CreatedAt      int64
}

// PartOwner is an object that may control parts. Job is the job that it is or belongs to, or 0.
type PartOwner struct {
	Cluster, Job   int64
	Namespace, UID string
	CreatedAt      int64
}

// Owns reports whether a part that names the owner may belong to its job. An object of another
// namespace is no owner: anybody who may create an object may name any UID.
func (o *PartOwner) Owns(p *Part) bool {
	return o.Job != 0 && o.Job != p.ID && o.Cluster == p.Cluster && (o.Namespace == "" || o.Namespace == p.Namespace)
}

const partOwnerColumns = "o.cluster_id, o.namespace, o.uid, o.created_at, CASE WHEN j.object_id IS NOT NULL THEN o.id ELSE COALESCE(p.job_id, 0) END"

func scanPartOwner(rows *sql.Rows) (o PartOwner, err error) {
	err = rows.Scan(&o.Cluster, &o.Namespace, &o.UID, &o.CreatedAt, &o.Job)
	return o, err
}

// PartOwners calls each for the recorded objects of a cluster that have a kind and one of some
// UIDs.
func PartOwners(ctx context.Context, q sqldb.Querier, cluster int64, kind string, uids []string, each func(PartOwner)) error {
	for some := range slices.Chunk(uids, 500) {
		args := []any{cluster, kind}
		for _, uid := range some {
			args = append(args, uid)
		}
		err := q.Query(ctx, "SELECT "+partOwnerColumns+" FROM resources r JOIN objects o ON o.cluster_id = ? AND o.resource_id = r.id"+
			" LEFT JOIN jobs j ON j.object_id = o.id LEFT JOIN job_parts p ON p.object_id = o.id WHERE r.kind = ? AND o.uid IN "+sqldb.Placeholders(len(some)), args, func(rows *sql.Rows) error {
			o, err := scanPartOwner(rows)
			each(o)
			return err
		})
		if err != nil {
			return fmt.Errorf("table objects: %w", err)
		}
	}
	return nil
}

// JobsWithPodLabels calls each for the jobs of a cluster whose pods have a label with one of some
// values, newest last.
func JobsWithPodLabels(ctx context.Context, tx *sqldb.Tx, cluster int64, values []string, each func(Label, PartOwner)) error {
	for some := range slices.Chunk(values, 500) {
		var args []any
		for _, v := range some {
			args = append(args, v)
		}
		err := tx.Query(ctx, "SELECT j.pod_label, j.pod_label_value, o.id, o.cluster_id, o.namespace, o.uid, o.created_at FROM jobs j JOIN objects o ON o.id = j.object_id WHERE j.pod_label_value IN "+
			sqldb.Placeholders(len(some))+" AND o.cluster_id = ? ORDER BY o.id", append(args, cluster), func(rows *sql.Rows) error {
			var l Label
			var o PartOwner
			err := rows.Scan(&l.Name, &l.Value, &o.Job, &o.Cluster, &o.Namespace, &o.UID, &o.CreatedAt)
			each(l, o)
			return err
		})
		if err != nil {
			return fmt.Errorf("table jobs: %w", err)
		}
	}
	return nil
}

const partColumns = "o.id, o.cluster_id, o.namespace, o.uid, o.created_at, o.owner_uid, o.owner_kind, o.owner_name, CASE WHEN r.api_group = '' AND r.name = 'pods' THEN 1 ELSE 0 END"

func scanParts(all *[]Part) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var p Part
		err := rows.Scan(&p.ID, &p.Cluster, &p.Namespace, &p.UID, &p.CreatedAt, &p.Owner.UID, &p.Owner.Kind, &p.Owner.Name, &p.Pod)
		*all = append(*all, p)
		return err
	}
}

// OpenParts returns the parts without a job whose owner has one of some UIDs.
func OpenParts(ctx context.Context, q sqldb.Querier, owners []string) (all []Part, err error) {
	for some := range slices.Chunk(owners, 500) {
		args := make([]any, len(some))
		for i, uid := range some {
			args[i] = uid
		}
		err = q.Query(ctx, "SELECT "+partColumns+" FROM open_parts p JOIN objects o ON o.id = p.object_id JOIN resources r ON r.id = o.resource_id WHERE p.owner_uid IN "+
			sqldb.Placeholders(len(some))+" ORDER BY o.id", args, scanParts(&all))
		if err != nil {
			return nil, fmt.Errorf("table open_parts: %w", err)
		}
	}
	return all, nil
}

// OpenPartsAfter returns at most limit parts without a job whose row IDs are greater than one,
// with their labels, sorted.
func OpenPartsAfter(ctx context.Context, q sqldb.Querier, after int64, limit int) (all []Part, err error) {
	err = q.Query(ctx, "SELECT "+partColumns+" FROM open_parts p JOIN objects o ON o.id = p.object_id JOIN resources r ON r.id = o.resource_id WHERE p.object_id > ? ORDER BY p.object_id LIMIT ?",
		[]any{after, limit}, scanParts(&all))
	if err != nil {
		return nil, fmt.Errorf("table open_parts: %w", err)
	}
	return all, addLabels(ctx, q, all)
}

// PodsWithoutJob returns the pods without a job that have one of some labels.
func PodsWithoutJob(ctx context.Context, tx *sqldb.Tx, labels []Label) (all []Part, err error) {
	if len(labels) == 0 {
		return nil, nil
	}
	terms := make([]Term, len(labels))
	for i, l := range labels {
		terms[i] = termOf(byLabel, l.Name, l.Value)
	}
	const most = 100_000 // of one attempt, before the job itself is recorded
	ids, err := ObjectsWithTerms(ctx, tx, terms, most)
	if err != nil {
		return nil, err
	}
	err = queryIn(ctx, tx, "SELECT "+partColumns+" FROM objects o JOIN resources r ON r.id = o.resource_id LEFT JOIN job_parts p ON p.object_id = o.id"+
		" WHERE p.object_id IS NULL AND r.api_group = '' AND r.name = 'pods' AND o.id IN ", ids, "", scanParts(&all))
	if err != nil {
		return nil, err
	}
	return all, addLabels(ctx, tx, all)
}

func addLabels(ctx context.Context, q sqldb.Querier, all []Part) error {
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	labels, err := LabelsOf(ctx, q, ids)
	for i := range all {
		all[i].Labels = labels[all[i].ID]
	}
	return err
}

// SetJobs stores the jobs of parts, by the row IDs of the parts. It calls former for parts that
// belonged to another job, with that job. It locks the rows of the parts: a writer of a pod at the
// same time stores its place in the row that SetJobs has written, or SetJobs reads what it wrote.
func SetJobs(ctx context.Context, tx *sqldb.Tx, jobs map[int64]int64, former func(of int64)) error {
	ids := SortedIDs(jobs)
	places := make(map[int64]podPlace, len(ids))
	err := queryIn(ctx, tx, "SELECT o.id, "+placeColumns+" FROM objects o WHERE o.id IN ", ids, " ORDER BY o.uid"+tx.ForUpdate(), func(rows *sql.Rows) error {
		var id int64
		var pod placed
		err := rows.Scan(append([]any{&id}, pod.targets()...)...)
		places[id] = pod.place()
		return err
	})
	if err != nil {
		return fmt.Errorf("table objects: %w", err)
	}
	linked := make(map[int64]bool, len(ids))
	err = queryIn(ctx, tx, "SELECT object_id, job_id FROM job_parts WHERE object_id IN ", ids, "", func(rows *sql.Rows) error {
		var part, of int64
		err := rows.Scan(&part, &of)
		if linked[part] = true; of != jobs[part] {
			former(of)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("table job_parts: %w", err)
	}
	var added, moved [][]any
	for _, id := range ids {
		at, found := places[id]
		row := []any{id, jobs[id], int16(at.class), at.since}
		switch {
		case linked[id]:
			moved = append(moved, row)
		case found: // retention removes objects at the same time
			added = append(added, row)
		}
	}
	columns := []string{"object_id", "job_id", "pod_class", "problem_since"}
	if err = tx.Update(ctx, "job_parts", columns, moved); err == nil {
		err = tx.Insert(ctx, "job_parts", columns, added)
	}
	if err != nil {
		return fmt.Errorf("table job_parts: %w", err)
	}
	return nil
}

// InsertOpenParts stores that the jobs of parts are not known yet.
func InsertOpenParts(ctx context.Context, tx *sqldb.Tx, all []Part) error {
	rows := make([][]any, len(all))
	for i := range all {
		rows[i] = []any{all[i].ID, all[i].Owner.UID}
	}
	if err := tx.InsertNew(ctx, "open_parts", []string{"object_id", "owner_uid"}, rows, "object_id"); err != nil {
		return fmt.Errorf("table open_parts: %w", err)
	}
	return nil
}

// CloseParts stores that parts are no longer open.
func CloseParts(ctx context.Context, tx *sqldb.Tx, objects []int64) error {
	if _, err := execIn(ctx, tx, "DELETE FROM open_parts WHERE object_id IN ", objects); err != nil {
		return fmt.Errorf("table open_parts: %w", err)
	}
	return nil
}

// DeleteParts deletes what is stored about the jobs of objects.
func DeleteParts(ctx context.Context, tx *sqldb.Tx, objects []int64) error {
	if _, err := execIn(ctx, tx, "DELETE FROM job_parts WHERE object_id IN ", objects); err != nil {
		return fmt.Errorf("table job_parts: %w", err)
	}
	return CloseParts(ctx, tx, objects)
}

// PartsOf calls each for the parts of some jobs, newest first, at most most of all jobs.
func PartsOf(ctx context.Context, q sqldb.Querier, jobs []int64, most int, each func(job, part int64)) error {
	if len(jobs) == 0 {
		return nil
	}
	err := q.Query(ctx, "SELECT job_id, object_id FROM job_parts WHERE job_id IN "+inList(jobs)+" ORDER BY object_id DESC LIMIT ?", []any{most}, func(rows *sql.Rows) error {
		var job, part int64
		err := rows.Scan(&job, &part)
		each(job, part)
		return err
	})
	if err != nil {
		return fmt.Errorf("table job_parts: %w", err)
	}
	return nil
}

// ObjectsOwnedBy returns the row IDs of the objects of a cluster whose controller has one of some
// UIDs.
func ObjectsOwnedBy(ctx context.Context, q sqldb.Querier, cluster int64, uids []string) (ids []int64, err error) {
	terms := make([]Term, len(uids))
	owner := map[string]bool{}
	for i, uid := range uids {
		terms[i], owner[uid] = termOf(byOwnerUID, "", uid), true
	}
	var maybe []int64
	for some := range slices.Chunk(terms, 200) {
		found, err := ObjectsWithTerms(ctx, q, some, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		maybe = append(maybe, found...)
	}
	err = queryIn(ctx, q, "SELECT id, owner_uid FROM objects WHERE cluster_id = ? AND id IN ", maybe, "", func(rows *sql.Rows) error {
		var id int64
		var uid string
		err := rows.Scan(&id, &uid)
		if owner[uid] {
			ids = append(ids, id)
		}
		return err
	}, cluster)
	return ids, err
}
