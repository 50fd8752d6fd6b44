package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// progressTable has the next statement of each step that has begun.
const progressTable = "vedette_schema_progress"

// resumable applies a step to a database that commits each change of the schema at once. It
// records the running statement, so that a later attempt continues where an interrupted
// attempt stopped.
type resumable struct {
	dialect *Dialect
	step    step
}

// apply runs the remaining statements of the step. The caller holds the lock of migrations.
func (r resumable) apply(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	// Close the session instead of returning it to the pool, because BeforeSteps has
	// changed it. Raw returns ErrBadConn.
	defer func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }()
	if r.dialect.BeforeSteps != "" {
		if _, err := conn.ExecContext(ctx, r.dialect.BeforeSteps); err != nil {
			return err
		}
	}
	next, interrupted, err := r.begin(ctx, conn)
	if err != nil {
		return err
	}
	statements := r.step.statements()
	for i := next; i < len(statements); i++ {
		if err := r.note(ctx, conn, i, true); err != nil {
			return err
		}
		_, err := conn.ExecContext(ctx, statements[i])
		if err != nil && !(interrupted && i == next && r.dialect.StatementDone(err)) {
			// An error of the server means that the statement had no effect. After a lost
			// connection the result is unknown, and the progress row remains.
			return errors.Join(fmt.Errorf("statement %d of %s: %w", i+1, r.step.name, err), r.note(ctx, conn, i, false))
		}
	}
	return r.note(ctx, conn, len(statements), false)
}

// begin returns the next statement. interrupted reports that an earlier attempt may have
// completed it.
func (r resumable) begin(ctx context.Context, conn *sql.Conn) (next int, interrupted bool, err error) {
	const create = "CREATE TABLE IF NOT EXISTS " + progressTable + " (step BIGINT NOT NULL PRIMARY KEY, next_statement BIGINT NOT NULL, running SMALLINT NOT NULL)"
	if _, err := conn.ExecContext(ctx, create); err != nil {
		return 0, false, err
	}
	var running int
	row := conn.QueryRowContext(ctx, fmt.Sprintf("SELECT next_statement, running FROM %s WHERE step = %d", progressTable, r.step.version))
	if err := row.Scan(&next, &running); !errors.Is(err, sql.ErrNoRows) {
		return next, running != 0, err
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s (step, next_statement, running) VALUES (%d, 0, 0)", progressTable, r.step.version))
	return 0, false, err
}

// note records the next statement, and whether it runs.
func (r resumable) note(ctx context.Context, conn *sql.Conn, next int, runs bool) error {
	running := 0
	if runs {
		running = 1
	}
	_, err := conn.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET next_statement = %d, running = %d WHERE step = %d", progressTable, next, running, r.step.version))
	return err
}
