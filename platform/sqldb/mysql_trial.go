package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// CheckMigration implements Preparer. The server commits each change of the schema at once, so a
// step that the server or the rights of the user do not allow would stop half-way.
func (m mysql) CheckMigration(ctx context.Context, db *sql.DB, try bool) error {
	set := map[string]string{}
	err := eachRow(ctx, db, "SHOW VARIABLES WHERE variable_name IN ('log_bin', 'binlog_format', 'innodb_page_size', 'innodb_read_only')", nil, func(rows *sql.Rows) error {
		var name, value string
		err := rows.Scan(&name, &value)
		set[strings.ToLower(name)] = value
		return err
	})
	if err != nil {
		return err
	}
	if err := mysqlSettings(set); err != nil || !try {
		return err
	}
	return m.try(ctx, db)
}

// mysqlSettings returns an error if variables of a server forbid the schema. MySQL 9 has no other
// format of the binary log than ROW, and may lack the variable.
func mysqlSettings(set map[string]string) error {
	pages, err := strconv.Atoi(set["innodb_page_size"])
	switch {
	case strings.EqualFold(set["log_bin"], "ON") && strings.EqualFold(set["binlog_format"], "STATEMENT"):
		return errors.New("binlog_format of the server is STATEMENT, and InnoDB refuses the isolation level READ COMMITTED with it; set it to ROW or MIXED, also in the file of the server")
	case strings.EqualFold(set["innodb_read_only"], "ON"):
		return errors.New("innodb_read_only of the server is ON; name a server that takes writes")
	case err == nil && pages < 16<<10:
		return fmt.Errorf("innodb_page_size of the server is %d, and the keys of indexes need 16384; use a server with that size, which is fixed when its data folder is made", pages)
	}
	return nil
}

// trialTable and its view exist only during a trial.
const trialTable = "vedette_schema_trial"

// try makes changes of the kinds that steps consist of, with a table and a view of their own.
func (m mysql) try(ctx context.Context, db *sql.DB) (err error) {
	options := m.Dialect().Variables["OPTIONS"]
	remove := []string{"DROP VIEW IF EXISTS " + trialTable + "_view", "DROP TABLE IF EXISTS " + trialTable}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, statement := range append(remove,
		"CREATE TABLE "+trialTable+" (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(317) NOT NULL, other VARCHAR(317) NOT NULL) "+options,
		"ALTER TABLE "+trialTable+" ADD COLUMN more BIGINT NOT NULL DEFAULT 0",
		"CREATE INDEX trial_name ON "+trialTable+" (name, other)",
		"CREATE OR REPLACE SQL SECURITY INVOKER VIEW "+trialTable+"_view AS SELECT id, name FROM "+trialTable,
	) {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("a trial of a migration: %s: %w", statement, err)
		}
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	for _, statement := range []string{"INSERT INTO " + trialTable + " (id, name, other) VALUES (1, 'a', 'b')", "UPDATE " + trialTable + " SET more = 1", "DELETE FROM " + trialTable} {
		if _, err = tx.ExecContext(ctx, statement); err != nil {
			err = fmt.Errorf("a trial of a migration: %s: %w", statement, err)
			break
		}
	}
	err = errors.Join(err, tx.Rollback())
	for _, statement := range remove {
		if _, failed := conn.ExecContext(ctx, statement); failed != nil {
			err = errors.Join(err, fmt.Errorf("a trial of a migration: %s: %w", statement, failed))
		}
	}
	return err
}
