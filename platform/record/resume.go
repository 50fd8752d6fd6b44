package record

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// ResumePoint is the version at which a recorder of a target would continue.
type ResumePoint struct {
	// Version is the end of the coverage of all recorders. 0 means that a recorder would
	// begin with a list.
	Version wire.Version
	// At is the time when Version was stored.
	At time.Time
}

// FindResumePoint returns the resume point of a target. clusterUID is the identity of its
// cluster, and r is its type.
//
// Errors: those of the database.
func FindResumePoint(ctx context.Context, db *sqldb.DB, clusterUID string, r kube.Resource, t Target) (p ResumePoint, err error) {
	s := model.Scope{Namespace: t.Namespace, Selectors: t.selectorHash(), UIDs: t.UIDs}
	s.Cluster, err = model.ClusterID(ctx, db, clusterUID)
	if err == nil {
		s.Resource, err = model.ResourceID(ctx, db, model.Type{Group: r.Group, Resource: r.Name})
	}
	if err == nil {
		var from model.ResumePoint
		from, err = model.FindResumePoint(ctx, db, s)
		p.Version, p.At = from.Version, from.At
	}
	if errors.Is(err, sql.ErrNoRows) {
		return p, nil // nothing is recorded yet
	}
	return p, db.Explain(err)
}

// TryWrite checks that the program may write to the database. It inserts a row and rolls
// the transaction back.
//
// Errors: those of the database.
func TryWrite(ctx context.Context, db *sqldb.DB) error { return model.TryWrite(ctx, db) }
