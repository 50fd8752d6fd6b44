package audit

import (
	"context"
	"crypto/rand"
	"database/sql"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Results of acts.
const (
	Attempt = "attempt" // the act has begun; its outcome is unknown
	Done    = "done"
	Denied  = "denied"
	Failed  = "failed"
)

// DefaultKeep is how long rows are kept.
const DefaultKeep = 400 * 24 * time.Hour

// Limits of one call.
const (
	endTimeout = 10 * time.Second // to write a result after its request has ended
	pruneEvery = time.Hour
	pruneStep  = 1000 // rows
)

// Log is the audit log of the portal. Any number of goroutines may use it.
type Log struct {
	db   *sqldb.DB
	keep time.Duration

	mu     sync.Mutex
	pruned time.Time
}

// New returns a log in a database. Rows are kept for a time; DefaultKeep if it is 0, and
// without a limit if it is negative.
func New(db *sqldb.DB, keep time.Duration) *Log {
	if keep == 0 {
		keep = DefaultKeep
	}
	return &Log{db: db, keep: keep}
}

// Open is an act that has begun.
type Open struct {
	db  *sqldb.DB
	key string
}

// Begin records that the person of ctx begins an act. The person, the way of sign-in, the address
// and the time come from ctx and the clock; act, object, job and detail come from e. If Begin
// fails, the caller must not perform the act. The person is identity.Person.ID.
//
// Errors: those of the database.
func (l *Log) Begin(ctx context.Context, e api.AuditEntry) (*Open, error) {
	e.Result = Attempt
	key := rand.Text()
	if err := insert(ctx, l.db, key, entryOf(ctx, e)); err != nil {
		return nil, err
	}
	l.prune(ctx)
	return &Open{l.db, key}, nil
}

// End writes the result of an act within 10 s, even if ctx has ended.
//
// Errors: those of the database; the result then stays "attempt".
func (o *Open) End(ctx context.Context, result, detail string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	return o.db.Transact(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE portal_audit SET result = ?, detail = ?, ended_at = ? WHERE act_key = ?", cut(result, maxWord), cut(detail, maxText), time.Now().UnixMicro(), o.key)
		return err
	})
}

// columns are the columns of a row, in the order of insert.
var columns = []string{
	"act_key", "happened_at", "ended_at", "person", "sign_in", "address", "act", "object", "cluster", "type", "namespace", "name", "uid", "result", "detail",
}

// entryOf returns an entry with the person of ctx and the present time.
func entryOf(ctx context.Context, e api.AuditEntry) api.AuditEntry {
	p := identity.Of(ctx)
	e.At, e.Person, e.SignIn, e.Address = time.Now(), p.ID(), string(p.SignIn), identity.Address(ctx)
	return e
}

// insert writes a row with a unique key.
func insert(ctx context.Context, db *sqldb.DB, key string, e api.AuditEntry) error {
	var job api.JobRef
	if e.Job != nil {
		job = *e.Job
	}
	ended := int64(0)
	if e.Result != Attempt {
		ended = e.At.UnixMicro()
	}
	row := []any{
		key, e.At.UnixMicro(), ended, cut(e.Person, maxName), cut(e.SignIn, maxWord), cut(e.Address, maxWord), cut(e.Act, maxWord), cut(e.Object, maxName),
		cut(job.Cluster, maxName), cut(job.Type, maxName), cut(job.Namespace, maxWord), cut(job.Name, maxName), cut(job.UID, maxWord), cut(e.Result, maxWord), cut(e.Detail, maxText),
	}
	return db.Transact(ctx, func(tx *sqldb.Tx) error { return tx.Insert(ctx, "portal_audit", columns, [][]any{row}) })
}

// Write records a completed act. An act without a time gets the current time.
//
// Errors: those of the database.
func Write(ctx context.Context, db *sqldb.DB, e api.AuditEntry) error {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	return insert(ctx, db, rand.Text(), e)
}

// List returns at most limit acts, newest first.
//
// Errors: those of the database.
func List(ctx context.Context, db *sqldb.DB, limit int) (all []api.AuditEntry, err error) {
	query := "SELECT happened_at, person, sign_in, address, act, object, cluster, type, namespace, name, uid, result, detail FROM portal_audit ORDER BY happened_at DESC, id DESC LIMIT ?"
	err = db.Query(ctx, query, []any{limit}, func(rows *sql.Rows) error {
		var e api.AuditEntry
		var at int64
		var job api.JobRef
		if err := rows.Scan(&at, &e.Person, &e.SignIn, &e.Address, &e.Act, &e.Object, &job.Cluster, &job.Type, &job.Namespace, &job.Name, &job.UID, &e.Result, &e.Detail); err != nil {
			return err
		}
		e.At = time.UnixMicro(at).UTC()
		if job.UID != "" || job.Name != "" {
			e.Job = &job
		}
		all = append(all, e)
		return nil
	})
	return all, err
}

// prune removes old rows, once an hour. If it fails or rows remain, the next act continues.
func (l *Log) prune(ctx context.Context) {
	now := time.Now()
	l.mu.Lock()
	due := l.keep > 0 && now.Sub(l.pruned) >= pruneEvery
	if due {
		l.pruned = now
	}
	l.mu.Unlock()
	if !due {
		return
	}
	if n, err := Prune(ctx, l.db, now.Add(-l.keep)); err != nil || n == pruneStep {
		l.mu.Lock()
		l.pruned = time.Time{}
		l.mu.Unlock()
	}
}

// Prune removes at most 1,000 rows from before a time, the oldest first, and returns their number.
//
// Errors: those of the database.
func Prune(ctx context.Context, db *sqldb.DB, before time.Time) (removed int, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		var ids []any
		err := tx.Query(ctx, "SELECT id FROM portal_audit WHERE happened_at < ? ORDER BY happened_at LIMIT ?", []any{before.UnixMicro(), pruneStep}, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		})
		for _, id := range ids {
			if err == nil {
				_, err = tx.Exec(ctx, "DELETE FROM portal_audit WHERE id = ?", id)
			}
		}
		removed = len(ids)
		return err
	})
	return removed, err
}
