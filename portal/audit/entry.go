package audit

import (
	"context"

	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/record/sqldb"
)

// List returns the newest entries, newest first.
//
// Errors: those of the database.
func List(ctx context.Context, db *sqldb.DB, limit int) ([]api.AuditEntry, error) {
	return nil, nil
}
