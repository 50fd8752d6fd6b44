package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// ErrNewer is returned for a database whose schema belongs to a later, incompatible version
// of this program.
var ErrNewer = errors.New("the schema of the database is newer than this program")

// schemaTable is the table in which Goose records the applied migrations.
const schemaTable = "vedette_schema"

// compatibilityTable has one row for each step. A program is compatible with the step if it
// has the step oldest_step.
const compatibilityTable = "schema_compatibility"

// Migration is one step of the schema.
type Migration struct {
	Version int64
	Name    string
	Applied bool
	At      time.Time // time of the application
	// Newer marks a step of a later version of this program that is compatible with this
	// program.
	Newer bool
}

// migrator applies the steps of the schema to a database.
type migrator struct{ *pool }

// provider returns a Goose provider for the steps. The steps are functions, because the SQL
// parser of Goose allocates a buffer of 4 MiB for each line.
func (m migrator) provider(steps []step) (*goose.Provider, error) {
	options := []goose.ProviderOption{goose.WithTableName(schemaTable), goose.WithVerbose(false), goose.WithDisableGlobalRegistry(true)}
	var all []*goose.Migration
	for _, s := range steps {
		up := &goose.GoFunc{RunTx: s.apply}
		if m.dialect.StatementDone != nil {
			up = &goose.GoFunc{RunDB: resumable{m.dialect, s}.apply}
		}
		all = append(all, goose.NewGoMigration(s.version, up, nil))
	}
	return goose.NewProvider(m.dialect.Goose, m.db, nil, append(options, goose.WithGoMigrations(all...))...)
}

// up applies the missing steps, under the lock of migrations.
func (m migrator) up(ctx context.Context) (applied []Migration, err error) {
	steps, err := readSteps(m.dialect)
	if err != nil {
		return nil, err
	}
	knows := steps[len(steps)-1].version
	if m.current(ctx, knows) {
		return nil, nil
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("the lock of the schema: %w", m.explain(err))
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := m.provider(steps)
	if err != nil {
		return nil, err
	}
	exists, err := m.exists(ctx, schemaTable)
	if err == nil && !exists { // GetDBVersion would create it
		err = m.mayChange(ctx)
	}
	if err != nil {
		return nil, m.explain(err)
	}
	has, err := p.GetDBVersion(ctx)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", m.explain(err))
	}
	if has > knows {
		return nil, m.accept(ctx, has, knows)
	}
	if exists {
		if err := m.mayChange(ctx); err != nil {
			return nil, err
		}
	}
	results, err := p.Up(ctx)
	for _, r := range results {
		if i := slices.IndexFunc(steps, func(s step) bool { return s.version == r.Source.Version }); r.Error == nil && i >= 0 {
			applied = append(applied, Migration{Version: steps[i].version, Name: steps[i].name, Applied: true, At: time.Now()})
		}
	}
	if err != nil {
		return applied, fmt.Errorf("the schema: %w", m.explain(err))
	}
	return applied, nil
}

// mayChange tries the changes of a step. The caller holds the lock of migrations.
func (m migrator) mayChange(ctx context.Context) error {
	if err := m.check(ctx, true); err != nil {
		return fmt.Errorf("%s: the schema was not changed: %w", m.address.URL, err)
	}
	return nil
}

// check returns an error if the server or the rights of the user forbid a step. With try, it
// tries it.
func (m migrator) check(ctx context.Context, try bool) error {
	p, ok := m.driver.(Preparer)
	if !ok {
		return nil
	}
	return m.explainKnown(p.CheckMigration(ctx, m.db, try))
}

// current reports whether the schema has all steps of this program and no incompatible
// later step. Migrate then needs no lock.
func (m migrator) current(ctx context.Context, knows int64) bool {
	ctx, done := m.bounded(ctx)
	defer done()
	var has int64
	row := m.db.QueryRowContext(ctx, "SELECT MAX(version_id) FROM "+schemaTable)
	return row.Scan(&has) == nil && has >= knows && m.accept(ctx, has, knows) == nil
}

// accept returns nil if a program is compatible with a schema whose last step may be
// unknown to it. The compatibility table decides about unknown steps.
//
// Errors: ErrNewer; errors of the database.
func (m migrator) accept(ctx context.Context, has, knows int64) error {
	if has <= knows {
		return nil
	}
	var oldest sql.NullInt64
	found, err := m.exists(ctx, compatibilityTable)
	if err == nil && found {
		query := fmt.Sprintf("SELECT MAX(oldest_step) FROM %s WHERE step > %d", compatibilityTable, knows)
		err = m.db.QueryRowContext(ctx, query).Scan(&oldest)
	}
	if err != nil {
		return fmt.Errorf("the schema: %w", m.explain(err))
	}
	if oldest.Valid && oldest.Int64 <= knows {
		return nil
	}
	return fmt.Errorf("%s: %w: it is at step %d, and this program supports step %d; use the version of vedette that migrated it, or a later one", m.address.URL, ErrNewer, has, knows)
}

// lock waits for the lock of migrations.
func (m migrator) lock(ctx context.Context) (unlock func() error, err error) {
	if most := m.dialect.MigrationWait; most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, most, fmt.Errorf("another process has been migrating it for %.0f minutes", most.Minutes()))
		defer cancel()
	}
	return waitForLock(ctx, func() (func() error, bool, error) { return m.tryLock(ctx, MigrationLock) })
}

// list returns all steps, with the time of their application.
func (m migrator) list(ctx context.Context) ([]Migration, error) {
	steps, err := readSteps(m.dialect)
	if err != nil {
		return nil, err
	}
	applied, err := m.applied(ctx)
	if err != nil {
		return nil, err
	}
	var all []Migration
	for _, s := range steps {
		at, found := applied[s.version]
		all = append(all, Migration{Version: s.version, Name: s.name, Applied: found, At: at})
		delete(applied, s.version)
	}
	knows, has := steps[len(steps)-1].version, int64(0)
	for _, version := range slices.Sorted(maps.Keys(applied)) {
		all = append(all, Migration{Version: version, Name: fmt.Sprintf("%05d", version), Applied: true, At: applied[version], Newer: true})
		has = version
	}
	if err := m.accept(ctx, has, knows); err != nil {
		return all[:len(steps)], err
	}
	return all, nil
}

// applied returns the time at which each step was applied, by number. It changes nothing: a
// database without a schema has no steps.
func (m migrator) applied(ctx context.Context) (map[int64]time.Time, error) {
	if found, err := m.exists(ctx, schemaTable); err != nil || !found {
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

// exists reports whether the database has a table.
func (m migrator) exists(ctx context.Context, table string) (bool, error) {
	var tables int
	err := m.db.QueryRowContext(ctx, m.dialect.TableExists, table).Scan(&tables)
	return tables > 0, err
}
