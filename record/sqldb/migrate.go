package sqldb

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3"
	"golang.org/x/sys/unix"
)

//go:embed schema/*.sql
var schema embed.FS

// ErrNewer is returned for a database whose schema a later version of this program
// has made.
var ErrNewer = errors.New("the schema of the database is newer than this program")

// Migration is one step of the schema.
type Migration struct {
	Version int64
	Name    string
	Applied bool
	At      time.Time // when it was applied
}

// render returns the steps of the schema in a dialect.
func (d *dialect) render() (fs.FS, error) {
	names, err := fs.Glob(schema, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	rendered := fstest.MapFS{}
	for _, name := range names {
		text, err := schema.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out := os.Expand(string(text), d.expand)
		rendered[path.Base(name)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(out, ") ;", ");"))}
	}
	return rendered, nil
}

func (d *DB) provider() (*goose.Provider, error) {
	steps, err := d.dialect.render()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(d.dialect.goose, d.db, steps, goose.WithTableName(schemaTable), goose.WithVerbose(false))
}

// Migrate brings the schema to what this program needs, under a lock: of several
// that do so at once, one does it and the others wait. It returns the steps that it
// took.
//
// Errors: ErrNewer; what the database says. A step that fails is rolled back, where
// the database can (MySQL can not).
func (d *DB) Migrate(ctx context.Context) (applied []Migration, err error) {
	if d.current(ctx) {
		return nil, nil
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("the lock of the schema: %w", d.explain(err))
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := d.provider()
	if err != nil {
		return nil, err
	}
	if err := d.notNewer(ctx, p); err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	for _, r := range results {
		if r.Error == nil {
			applied = append(applied, Migration{Version: r.Source.Version, Name: path.Base(r.Source.Path), Applied: true, At: time.Now()})
		}
	}
	if err != nil {
		return applied, fmt.Errorf("the schema: %w", d.explain(err))
	}
	return applied, nil
}

// notNewer refuses a schema that has steps this program does not know.
func (d *DB) notNewer(ctx context.Context, p *goose.Provider) error {
	has, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("the schema: %w", d.explain(err))
	}
	sources := p.ListSources()
	if newest := sources[len(sources)-1].Version; has > newest {
		return d.newer(has, newest)
	}
	return nil
}

// lockName names the lock of migrations within a database.
const lockName = "vedette schema"

// lock takes the lock of migrations, and returns what gives it back.
func (d *DB) lock(ctx context.Context) (unlock func() error, err error) {
	if d.dialect == sqlite {
		return lockFile(ctx, d.file+".lock")
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if d.dialect == mysql { // the lock is of the session, in which nothing happens for as long as a step takes
		if _, err := conn.ExecContext(ctx, "SET SESSION wait_timeout = 86400"); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	take, give := "SELECT pg_advisory_lock(hashtext($1))", "SELECT pg_advisory_unlock(hashtext($1))"
	if d.dialect == mysql {
		take, give = "SELECT GET_LOCK(CONCAT(DATABASE(), ?), 20)", "SELECT RELEASE_LOCK(CONCAT(DATABASE(), ?))"
	}
	const tries = 30 // of 20 seconds: a connection that says nothing for longer counts as dead
	for try := 1; ; try++ {
		var got any
		if err := conn.QueryRowContext(ctx, take, lockName).Scan(&got); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		if n, ok := got.(int64); d.dialect != mysql || ok && n == 1 {
			break
		}
		if try == tries {
			return nil, errors.Join(errors.New("somebody else has been migrating it for 10 minutes"), conn.Close())
		}
	}
	return func() error {
		var gave any
		err := conn.QueryRowContext(context.WithoutCancel(ctx), give, lockName).Scan(&gave)
		return errors.Join(err, conn.Close())
	}, nil
}

// lockFile takes a lock on a file, which ends with the process.
func lockFile(ctx context.Context, name string) (unlock func() error, err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f.Close, nil // which gives it back
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		}
	}
}
