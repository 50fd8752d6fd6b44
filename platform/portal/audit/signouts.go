package audit

import (
	"context"
	"crypto/rand"
	"database/sql"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// actSignOut is the act that ends a session. Its key in the table is keySignOut followed by the
// fingerprint of the session, or keySignOutAll for all sessions of a person.
const (
	actSignOut    = "sign out"
	keySignOut    = "out "
	keySignOutAll = "all "
)

const (
	// overlap is the number of rows before the newest known row that are read again, because
	// transactions may commit in another order than their IDs.
	overlap = 1000
	// signOutsAtOnce is the maximum number of rows that one query reads.
	signOutsAtOnce = 10_000
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

// End records an ending. The person of ctx has caused it.
//
// Errors: those of the database.
func (s *SignOuts) End(ctx context.Context, one identity.Ending) error {
	key, object := keySignOut+one.Session, "session"
	if one.Session == "" {
		key, object = keySignOutAll+rand.Text(), "all sessions"
	}
	known := false
	err := s.db.Query(ctx, "SELECT id FROM portal_audit WHERE act_key = ?", []any{key}, func(*sql.Rows) error {
		known = true
		return nil
	})
	if err != nil || known {
		return err
	}
	// Other replicas read the name and the detail.
	e := api.AuditEntry{Act: actSignOut, Object: object, Job: &api.JobRef{Name: one.Person}, Detail: began + one.Began.UTC().Format(time.RFC3339), Result: Done}
	return insert(ctx, s.db, key, entryOf(ctx, e))
}

// began is the beginning of the detail of a sign-out. The time follows.
const began = "began until "

// Ended returns the endings since a time. Later calls return only added ones.
//
// Errors: those of the database.
func (s *SignOuts) Ended(ctx context.Context, since time.Time) (all []identity.Ending, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var newest sql.NullInt64 // of an empty table
	if err := s.db.QueryRow(ctx, "SELECT MAX(id) FROM portal_audit").Scan(&newest); err != nil {
		return nil, err
	}
	const query = "SELECT id, act_key, name, detail FROM portal_audit WHERE happened_at >= ? AND act = ? AND id > ? ORDER BY id LIMIT ?"
	after, rows := s.read-overlap, signOutsAtOnce
	for rows == signOutsAtOnce { // none may be forgotten
		rows = 0
		err = s.db.Query(ctx, query, []any{since.UnixMicro(), actSignOut, after, signOutsAtOnce}, func(r *sql.Rows) error {
			var key, person, detail string
			if err := r.Scan(&after, &key, &person, &detail); err != nil {
				return err
			}
			rows++
			at, err := time.Parse(time.RFC3339, strings.TrimPrefix(detail, began))
			if session, ok := strings.CutPrefix(key, keySignOut); err == nil && (ok || strings.HasPrefix(key, keySignOutAll)) {
				if !ok {
					session = ""
				}
				all = append(all, identity.Ending{Person: person, Session: session, Began: at})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	s.read = newest.Int64
	return all, nil
}
