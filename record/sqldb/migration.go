package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed schema/*.sql
var migrationFiles embed.FS

// ErrNewer is returned for a database whose schema a later version of this program
// has made.
var ErrNewer = errors.New("the schema of the database is newer than this program")

// schemaTable is the table in which Goose notes the migrations that were applied.
const schemaTable = "vedette_schema"

// Migration is one step of the schema.
type Migration struct {
	Version int64
	Name    string
	Applied bool
	At      time.Time // when it was applied
}

// migrator applies the steps of the schema to a database.
type migrator struct{ *pool }

// files returns the steps of the schema, with the variables of the dialect replaced.
func (m migrator) files() (fs.FS, error) {
	names, err := fs.Glob(migrationFiles, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	rendered := fstest.MapFS{}
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out := os.Expand(string(text), m.dialect.variable)
		rendered[path.Base(name)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(out, ") ;", ");"))}
	}
	return rendered, nil
}

func (m migrator) provider() (*goose.Provider, error) {
	files, err := m.files()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(m.dialect.Goose, m.db, files, goose.WithTableName(schemaTable), goose.WithVerbose(false))
}

// up applies what is missing, under the lock of migrations.
func (m migrator) up(ctx context.Context) (applied []Migration, err error) {
	if m.current(ctx) {
		return nil, nil
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("the lock of the schema: %w", m.explain(err))
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := m.provider()
	if err != nil {
		return nil, err
	}
	if err := m.notNewer(ctx, p); err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	for _, r := range results {
		if r.Error == nil {
			applied = append(applied, Migration{Version: r.Source.Version, Name: path.Base(r.Source.Path), Applied: true, At: time.Now()})
		}
	}
	if err != nil {
		return applied, fmt.Errorf("the schema: %w", m.explain(err))
	}
	return applied, nil
}

// current reports whether the schema is the one that this program knows. Then Migrate
// waits for no lock.
func (m migrator) current(ctx context.Context) bool {
	ctx, done := m.bounded(ctx)
	defer done()
	p, err := m.provider()
	if err != nil {
		return false
	}
	var has int64
	row := m.db.QueryRowContext(ctx, "SELECT MAX(version_id) FROM "+schemaTable)
	sources := p.ListSources()
	return row.Scan(&has) == nil && has == sources[len(sources)-1].Version
}

// notNewer refuses a schema with steps that this program does not know.
func (m migrator) notNewer(ctx context.Context, p *goose.Provider) error {
	has, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("the schema: %w", m.explain(err))
	}
	sources := p.ListSources()
	if newest := sources[len(sources)-1].Version; has > newest {
		return m.newer(has, newest)
	}
	return nil
}

// lock waits for the lock of migrations.
func (m migrator) lock(ctx context.Context) (unlock func() error, err error) {
	if most := m.dialect.MigrationWait; most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, most, fmt.Errorf("somebody else has been migrating it for %.0f minutes", most.Minutes()))
		defer cancel()
	}
	return waitForLock(ctx, func() (func() error, bool, error) { return m.tryLock(ctx, MigrationLock) })
}

// list returns all steps, and which were applied.
func (m migrator) list(ctx context.Context) ([]Migration, error) {
	applied, err := m.applied(ctx)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(migrationFiles, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	var all []Migration
	newest := int64(0)
	for _, name := range names {
		step := Migration{Name: path.Base(name)}
		number, _, _ := strings.Cut(step.Name, "_")
		if step.Version, err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, fmt.Errorf("the schema: %s has no number: %w", name, err)
		}
		step.At, step.Applied = applied[step.Version]
		all, newest = append(all, step), max(newest, step.Version)
	}
	for version := range applied {
		if version > newest {
			return all, m.newer(version, newest)
		}
	}
	return all, nil
}

// applied returns when each step was applied, by its number. It changes nothing: a
// database without a schema has no steps.
func (m migrator) applied(ctx context.Context) (map[int64]time.Time, error) {
	var tables int
	if err := m.db.QueryRowContext(ctx, m.dialect.TableExists, schemaTable).Scan(&tables); err != nil || tables == 0 {
		return nil, m.explain(err)
	}
	at := strings.ReplaceAll(m.dialect.UnixSeconds, "?", "tstamp")
	applied := map[int64]time.Time{}
	return applied, m.explain(eachRow(ctx, m.db, "SELECT version_id, "+at+" FROM "+schemaTable+" WHERE version_id > 0 ORDER BY id", nil, func(rows *sql.Rows) error {
		var version, when int64
		err := rows.Scan(&version, &when)
		applied[version] = time.Unix(when, 0)
		return err
	}))
}

func (m migrator) newer(has, knows int64) error {
	return fmt.Errorf("%s: %w: it is at step %d, and this program knows %d; take the version of vedette that made it, or a later one", m.address.URL, ErrNewer, has, knows)
}
