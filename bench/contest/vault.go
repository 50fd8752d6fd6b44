package contest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// vault measures the size and the CPU time of a database.
type vault struct {
	*sqldb.DB
	kind  string
	dir   string // folder of SQLite
	empty int64  // size at the beginning
}

// database creates an empty database of the kind of a task, with the schema of the
// recorder.
func (t *Task) database(ctx context.Context) (*sqldb.DB, *vault, error) {
	dir, err := os.MkdirTemp(t.Dir, "db-*")
	if err != nil {
		return nil, nil, err
	}
	url, err := dbtest.New(ctx, t.Database, dir)
	if err != nil {
		return nil, nil, err
	}
	d, err := sqldb.Open(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	v := &vault{DB: d, kind: t.Database, dir: dir}
	if _, err = d.Migrate(ctx); err == nil {
		v.empty, err = v.size(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return d, v, nil
}

// EmptyDatabase creates an empty database of the kind of a task, with the schema of the
// recorder. The caller closes it.
func (t *Task) EmptyDatabase(ctx context.Context) (*sqldb.DB, error) {
	d, _, err := t.database(ctx)
	return d, err
}

// size returns the size of the tables and indexes on disk, in bytes.
func (v *vault) size(ctx context.Context) (n int64, err error) {
	switch v.kind {
	case "postgres":
		err = v.SQL().QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&n)
	case "mariadb":
		err = v.SQL().QueryRowContext(ctx, "SELECT SUM(FILE_SIZE) FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME LIKE CONCAT(DATABASE(), '/%')").Scan(&n)
	default:
		var busy, log, done int64
		if err = v.SQL().QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done); err != nil {
			return 0, err
		}
		var info os.FileInfo
		if info, err = os.Stat(filepath.Join(v.dir, "history.db")); err == nil {
			n = info.Size()
		}
	}
	return n, err
}

// tick is the unit of the times in /proc, the same on every Linux.
const tick = 10 * time.Millisecond

// cpu returns the CPU time of the database server; 0 if the database is in this process.
// The server is the only child of this process, and PostgreSQL has a child process for
// each connection.
func (v *vault) cpu() time.Duration {
	if v.kind == "sqlite" {
		return 0
	}
	ours := map[string]bool{strconv.Itoa(os.Getpid()): true}
	total := int64(0)
	for range 2 { // children, and their children
		all, _ := filepath.Glob("/proc/[0-9]*/stat") // a fixed pattern
		for _, file := range all {
			pid := filepath.Base(filepath.Dir(file))
			text, err := os.ReadFile(file)
			if err != nil || ours[pid] {
				continue // the process has ended, or is already counted
			}
			fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
			if !ours[fields[1]] { // the parent
				continue
			}
			ours[pid] = true
			for _, field := range fields[11:15] { // user, system, and both of ended children
				n, _ := strconv.ParseInt(field, 10, 64) // always a number
				total += n
			}
		}
	}
	return time.Duration(total) * tick
}
