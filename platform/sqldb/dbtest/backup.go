package dbtest

import (
	"context"
	"database/sql"
	"strings"
	"testing"
)

// Backup copies all tables of a database. restore puts the copies in their place in one transaction,
// under programs that use the database, as a restore from a backup or a failover to a server without the last transactions does.
func Backup(t *testing.T, url string, db *sql.DB) (restore func()) {
	t.Helper()
	const copied = "backup_of_"
	tables := tablesOf(t, url, db)
	for _, table := range tables {
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE "+copied+table+" AS SELECT * FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		t.Helper()
		if err := replaceAll(t.Context(), db, tables, copied); err != nil {
			t.Fatal(err)
		}
	}
}

// replaceAll replaces the rows of tables with those of other tables, whose names have a prefix.
func replaceAll(ctx context.Context, db *sql.DB, tables []string, prefix string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // fails after Commit
	for _, table := range tables {
		for _, statement := range []string{"DELETE FROM " + table, "INSERT INTO " + table + " SELECT * FROM " + prefix + table} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// tablesOf returns the names of the tables of a database.
func tablesOf(t *testing.T, url string, db *sql.DB) (all []string) {
	t.Helper()
	query := "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = "
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "sqlite":
		query = "SELECT name FROM sqlite_master WHERE type = 'table' AND (name NOT LIKE 'sqlite%' OR name = 'sqlite_sequence')"
	case "postgres":
		query += "current_schema()"
	default:
		query += "DATABASE()"
	}
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // a read
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
