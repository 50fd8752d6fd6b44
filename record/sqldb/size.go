package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// Size is what a database takes, in bytes.
type Size struct {
	// Files is what it takes on disk, with what is free within its files.
	Files int64
	// Used is what the history takes: what retention is held against. For SQLite it is
	// exact, for servers an estimate from their statistics.
	Used int64
}

// Size returns what the database takes.
func (d *DB) Size(ctx context.Context) (s Size, err error) {
	switch d.dialect {
	case sqlite:
		var page, pages, free int64
		row := d.db.QueryRowContext(ctx, "SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count")
		err = row.Scan(&page, &pages, &free)
		s = Size{page * pages, page * (pages - free)}
	case postgres:
		s, err = d.postgresSize(ctx)
	default:
		s, err = d.mysqlSize(ctx)
	}
	if err != nil {
		return s, fmt.Errorf("size: %w", err)
	}
	return s, nil
}

// What a row takes on servers, with its part of the indexes and without its body;
// measured with 40,000 revisions. SQLite knows its exact size.
const (
	RevisionBytes   = 200
	TransitionBytes = 250
	ObjectBytes     = 600
)

// estimate adds up rows: the files of servers do not shrink when rows are deleted, and
// their space is used again. body is the average of some.
func (d *DB) estimate(rows map[string]int64, body sql.NullFloat64) int64 {
	return rows["revisions"]*(RevisionBytes+int64(body.Float64)) + rows["transitions"]*TransitionBytes + rows["objects"]*ObjectBytes
}

// counts reads the numbers of the rows of tables.
func (d *DB) counts(ctx context.Context, query string) (map[string]int64, error) {
	found := map[string]int64{}
	return found, d.Query(ctx, query, nil, func(rows *sql.Rows) error {
		var table string
		var n int64
		err := rows.Scan(&table, &n)
		found[table] = n
		return err
	})
}

func (d *DB) postgresSize(ctx context.Context) (s Size, err error) {
	if err := d.db.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&s.Files); err != nil {
		return s, err
	}
	rows, err := d.counts(ctx, "SELECT relname, n_live_tup FROM pg_stat_user_tables WHERE schemaname = current_schema()")
	if err != nil {
		return s, err
	}
	var body sql.NullFloat64
	sample := min(100, 100*20_000/float64(rows["revisions"]+1)) // percent of its pages: some 20,000 revisions
	if err := d.db.QueryRowContext(ctx, fmt.Sprintf("SELECT AVG(pg_column_size(data)) FROM revisions TABLESAMPLE SYSTEM (%f)", sample)).Scan(&body); err != nil {
		return s, err
	}
	s.Used = min(s.Files, d.estimate(rows, body))
	return s, nil
}

// mysqlSize takes the statistics first: those that are there may be of yesterday.
func (d *DB) mysqlSize(ctx context.Context) (s Size, err error) {
	if err := d.Query(ctx, "ANALYZE NO_WRITE_TO_BINLOG TABLE revisions, transitions, objects", nil, func(*sql.Rows) error { return nil }); err != nil {
		return s, err
	}
	if err := d.db.QueryRowContext(ctx, "SELECT SUM(data_length + index_length + data_free) FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&s.Files); err != nil {
		return s, err
	}
	counts, err := d.counts(ctx, "SELECT table_name, table_rows FROM information_schema.tables WHERE table_schema = DATABASE() AND table_rows IS NOT NULL")
	if err != nil {
		return s, err
	}
	var body sql.NullFloat64
	if err := d.db.QueryRowContext(ctx, "SELECT AVG(size) FROM (SELECT LENGTH(data) AS size FROM revisions ORDER BY id DESC LIMIT 20000) newest").Scan(&body); err != nil {
		return s, err
	}
	s.Used = min(s.Files, d.estimate(counts, body))
	return s, nil
}

// freePages is how many pages of an SQLite file are given back at once: 4 MiB.
const freePages = 1024

// Vacuum returns free space to the system, where the database can do so beside
// writers. That of servers is used again by new rows.
func (d *DB) Vacuum(ctx context.Context) error {
	if d.dialect != sqlite {
		return nil
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for before := int64(-1); ; {
		var free int64
		if err := conn.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return err
		}
		if free == 0 || free == before { // none, or the file was made without
			break
		}
		before = free
		rows, err := conn.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", freePages))
		if err != nil {
			return err
		}
		if err := forEach(rows, nil, func(*sql.Rows) error { return nil }); err != nil {
			return err
		}
	}
	var busy, log, moved int
	return conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved)
}
