package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// Size is the space that a database takes, in bytes.
type Size struct {
	// Files is the space on disk, including free space within the files.
	Files int64
	// Used is the space of the history and of kept logs. Exact tells how accurate it is.
	Used int64
	// Logs is the part of Used that kept logs take. It is an estimate.
	Logs int64
	// Audit is the part of Used that the audit of the portal takes. It is an estimate.
	Audit int64
	// Exact means that Used is measured and includes the last commit. Otherwise Used is an
	// estimate from a sample of the rows.
	Exact bool
}

// History returns the space of the history without kept logs and without the audit, which have
// separate limits. Retention compares it with its limit.
func (s Size) History() int64 { return max(0, s.Used-s.Logs-s.Audit) }

// Sizes of one row in bytes, with its share of the indexes and without its body. They were
// measured with 40,000 revisions on PostgreSQL and MariaDB.
const (
	RevisionBytes   = 200
	TransitionBytes = 250
	ObjectBytes     = 600
	// KeptLogBytes is the same for a kept log without its text.
	KeptLogBytes = 1100
	// AuditBytes is the same for a row of the audit without its long texts.
	AuditBytes = 300
)

// EstimateUsed returns Size.Used for a server, whose files do not shrink when rows are
// deleted. rows holds the number of rows of each table, and body is the average size of a
// stored body in bytes.
func EstimateUsed(rows map[string]int64, body float64) int64 {
	return rows["revisions"]*(RevisionBytes+int64(body)) + rows["transitions"]*TransitionBytes + rows["objects"]*ObjectBytes
}

// sizeOfLogs returns the space of kept logs in bytes, or 0 if the schema does not have them
// yet. exists is Dialect.TableExists.
func sizeOfLogs(ctx context.Context, db *sql.DB, exists string) (int64, error) {
	var found, logs, text int64
	if err := db.QueryRowContext(ctx, exists, "kept_logs").Scan(&found); err != nil || found == 0 {
		return 0, err
	}
	err := db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(stored_bytes), 0) FROM kept_logs").Scan(&logs, &text)
	if err != nil {
		return 0, fmt.Errorf("kept logs: %w", err)
	}
	return text + logs*KeptLogBytes, nil
}

// sizeOfAudit returns the space of the audit in bytes, or 0 if the schema does not have it yet.
// exists is Dialect.TableExists.
func sizeOfAudit(ctx context.Context, db *sql.DB, exists string) (int64, error) {
	var found, rows, text int64
	if err := db.QueryRowContext(ctx, exists, "portal_audit").Scan(&found); err != nil || found == 0 {
		return 0, err
	}
	err := db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(LENGTH(person) + LENGTH(object) + LENGTH(name) + LENGTH(detail)), 0) FROM portal_audit").Scan(&rows, &text)
	if err != nil {
		return 0, fmt.Errorf("audit: %w", err)
	}
	return text + rows*AuditBytes, nil
}
