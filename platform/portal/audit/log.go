package audit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
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

// DefaultKeep is how long rows are kept. MinKeep is the minimum: replicas learn from the rows which
// sessions have ended.
const (
	DefaultKeep = 400 * 24 * time.Hour
	MinKeep     = 24 * time.Hour
)

// Limits of one call.
const (
	endTimeout = 10 * time.Second // to write a result after its request has ended
	pruneEvery = time.Hour
	prunePause = 100 * time.Millisecond // between two steps, so that others write meanwhile
	pruneStep  = 1000                   // rows
)

// Log is the audit log of the portal. Any number of goroutines may use it.
type Log struct {
	db   *sqldb.DB
	keep time.Duration
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
	db    *sqldb.DB
	key   string
	entry api.AuditEntry
}

// Begin records that the person of ctx begins an act. The person, the way of sign-in, the address
// and the time come from ctx and the clock; act, object, job and detail come from e. If Begin
// fails, the caller must not perform the act. The person is identity.Person.ID.
//
// Errors: those of the database.
func (l *Log) Begin(ctx context.Context, e api.AuditEntry) (*Open, error) {
	e.Result = Attempt
	e = entryOf(ctx, e)
	key := rand.Text()
	if err := insert(ctx, l.db, key, e); err != nil {
		return nil, err
	}
	return &Open{l.db, key, e}, nil
}

// End writes the result of an act within 10 s, even if ctx has ended. A refusal has a short detail,
// and is folded into the row of an equal one of the same hour.
//
// Errors: those of the database; the result then stays "attempt".
func (o *Open) End(ctx context.Context, result, detail string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if result == Denied || result == Failed {
		return o.refuse(ctx, result, detail)
	}
	return o.db.Transact(ctx, func(tx *sqldb.Tx) error { return o.write(ctx, tx, o.key, result, cut(detail, maxText)) })
}

// write writes a result, and gives the row a key.
func (o *Open) write(ctx context.Context, tx *sqldb.Tx, key, result, detail string) error {
	_, err := tx.Exec(ctx, "UPDATE portal_audit SET act_key = ?, result = ?, detail = ?, ended_at = ? WHERE act_key = ?", key, cut(result, maxWord), detail, time.Now().UnixMicro(), o.key)
	return err
}

// refuse writes the result of an act that was not done. Anybody may be refused as often as they like,
// so the first refusal of its kind keeps its row, and later ones count there.
func (o *Open) refuse(ctx context.Context, result, detail string) (err error) {
	key := foldKey(&o.entry, result)
	for range 2 { // another replica may write the first one at the same time
		err = o.db.Transact(ctx, func(tx *sqldb.Tx) error {
			n, err := tx.Exec(ctx, "UPDATE portal_audit SET repeats = repeats + 1, ended_at = ?, object = CASE WHEN object = ? THEN object ELSE ? END, name = CASE WHEN object = ? THEN name ELSE '' END, uid = CASE WHEN object = ? THEN uid ELSE '' END WHERE act_key = ?",
				time.Now().UnixMicro(), cut(o.entry.Object, maxName), several, cut(o.entry.Object, maxName), cut(o.entry.Object, maxName), key)
			switch {
			case err != nil:
				return err
			case n == 0:
				return o.write(ctx, tx, key, result, cut(detail, maxRefusal))
			}
			_, err = tx.Exec(ctx, "DELETE FROM portal_audit WHERE act_key = ?", o.key)
			return err
		})
		if err == nil {
			return nil
		}
	}
	return err
}

// several is the object of a row about refusals of several objects.
const several = "several"

// foldGroups is the number of groups of objects by which refusals of one person and act are folded.
// It bounds the rows of an hour, whatever names a person invents.
const foldGroups = 64

// foldKey returns the key of the row for refusals like one.
func foldKey(e *api.AuditEntry, result string) string {
	group := fnv.New32a()
	_, _ = io.WriteString(group, e.Object)
	hour := e.At.Truncate(time.Hour).Unix()
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %d", e.Person, e.Act, result, group.Sum32()%foldGroups, hour))
	return "fold " + hex.EncodeToString(sum[:16])
}

// columns are the columns of a row, in the order of insert.
var columns = []string{
	"act_key", "happened_at", "ended_at", "person", "sign_in", "address", "act", "object", "cluster", "type", "namespace", "name", "uid", "result", "detail", "repeats",
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
		cut(job.Cluster, maxName), cut(job.Type, maxName), cut(job.Namespace, maxWord), cut(job.Name, maxName), cut(job.UID, maxWord), cut(e.Result, maxWord), cut(e.Detail, maxText), e.Repeats,
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
	query := "SELECT happened_at, person, sign_in, address, act, object, cluster, type, namespace, name, uid, result, detail, repeats FROM portal_audit ORDER BY happened_at DESC, id DESC LIMIT ?"
	err = db.Query(ctx, query, []any{limit}, func(rows *sql.Rows) error {
		var e api.AuditEntry
		var at int64
		var job api.JobRef
		if err := rows.Scan(&at, &e.Person, &e.SignIn, &e.Address, &e.Act, &e.Object, &job.Cluster, &job.Type, &job.Namespace, &job.Name, &job.UID, &e.Result, &e.Detail, &e.Repeats); err != nil {
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

// Run removes old rows, every hour, until ctx ends. It removes them whether anybody acts or not.
func (l *Log) Run(ctx context.Context) {
	for l.keep > 0 {
		for {
			n, err := Prune(ctx, l.db, time.Now().Add(-l.keep))
			if err != nil || n < pruneStep || pause.For(ctx, prunePause) != nil {
				break // after an error, the next hour tries again
			}
		}
		if pause.For(ctx, pruneEvery) != nil {
			return
		}
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
