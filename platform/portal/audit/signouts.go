package audit

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// actSignOut is the act that ends a session. Its key in the table is keySignOut followed by the
// fingerprint of the session.
const (
	actSignOut = "sign out"
	keySignOut = "out "
)

const (
	// overlap is the number of rows before the newest known row that are read again, because
	// transactions may commit in another order than their IDs.
	overlap = 1000
	// mostSignOuts is the maximum number of rows that one call reads.
	mostSignOuts = 50_000
)

// SignOuts stores ended sessions in the audit, so that all replicas of a portal read them. It
// implements identity.Endings. Any number of goroutines may use it.
type SignOuts struct {
	db *sqldb.DB

	mu   sync.Mutex
	read int64 // the newest row that was read
}

// NewSignOuts returns the sign-outs of a database.
func NewSignOuts(db *sqldb.DB) *SignOuts { return &SignOuts{db: db} }

// End records that the person of ctx has ended a session.
//
// Errors: those of the database.
func (s *SignOuts) End(ctx context.Context, session string) error {
	known := false
	err := s.db.Query(ctx, "SELECT id FROM portal_audit WHERE act_key = ?", []any{keySignOut + session}, func(*sql.Rows) error {
		known = true
		return nil
	})
	if err != nil || known {
		return err
	}
	return insert(ctx, s.db, keySignOut+session, entryOf(ctx, api.AuditEntry{Act: actSignOut, Object: "session", Result: Done}))
}

// Ended returns the sessions that ended since a time. Later calls return only added ones.
//
// Errors: those of the database.
func (s *SignOuts) Ended(ctx context.Context, since time.Time) (sessions []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var newest sql.NullInt64 // of an empty table
	if err := s.db.QueryRow(ctx, "SELECT MAX(id) FROM portal_audit").Scan(&newest); err != nil {
		return nil, err
	}
	query := "SELECT act_key FROM portal_audit WHERE happened_at >= ? AND act = ? AND id > ? ORDER BY id DESC LIMIT ?"
	err = s.db.Query(ctx, query, []any{since.UnixMicro(), actSignOut, s.read - overlap, mostSignOuts}, func(rows *sql.Rows) error {
		var key string
		if err := rows.Scan(&key); err != nil {
			return err
		}
		if session, ok := strings.CutPrefix(key, keySignOut); ok {
			sessions = append(sessions, session)
		}
		return nil
	})
	if err == nil {
		s.read = newest.Int64
	}
	return sessions, err
}
