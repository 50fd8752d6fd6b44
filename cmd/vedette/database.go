package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/record/sqldb"
)

// addDatabase adds the flags that name the database. The URL is set when the command
// runs; see settled.
func addDatabase(cmd *cobra.Command, db *string) *settled {
	cmd.Flags().StringVar(db, "db", "", "database: sqlite:FILE, mysql://user@host/name or postgres://user@host/name (default: VEDETTE_DB)")
	return addConfig(cmd)
}

// openDatabase opens a database to read its history.
//
// Errors: errNoDatabase; those of sqldb.Read.
func openDatabase(ctx context.Context, url string) (*sqldb.DB, error) {
	return openWith(ctx, url, sqldb.Read)
}

// openToWrite opens a database to write to it. The database may have no schema yet.
func openToWrite(ctx context.Context, url string) (*sqldb.DB, error) {
	return openWith(ctx, url, sqldb.Open)
}

func openWith[D any](ctx context.Context, url string, open func(context.Context, string) (*D, error)) (*D, error) {
	if url == "" {
		return nil, errNoDatabase
	}
	ctx, cancel := context.WithTimeout(ctx, firstAnswer)
	defer cancel()
	return open(ctx, url)
}

var errNoDatabase = errors.New("no database is named: use --db sqlite:history.db, VEDETTE_DB, or db in the file of --config")

// firstAnswer bounds the wait for a server that has not answered yet. A server that has
// answered once is retried without end.
const firstAnswer = 15 * time.Second
