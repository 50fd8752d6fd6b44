package settings

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// AddDatabase adds the flags that name the database. The URL is set when the command
// runs; see AddConfig.
func AddDatabase(cmd *cobra.Command, db *string) *Settings {
	cmd.Flags().StringVar(db, "db", "", "database: sqlite:FILE, mysql://user@host/name or postgres://user@host/name (default: VEDETTE_DB)")
	return AddConfig(cmd)
}

// OpenDatabase opens a database to read its history.
//
// Errors: ErrNoDatabase; those of sqldb.Read.
func OpenDatabase(ctx context.Context, url string) (*sqldb.DB, error) {
	return OpenWith(ctx, url, sqldb.Read)
}

// OpenToWrite opens a database to write to it. The database may have no schema yet.
func OpenToWrite(ctx context.Context, url string) (*sqldb.DB, error) {
	return OpenWith(ctx, url, sqldb.Open)
}

// OpenWith opens a database with a function such as sqldb.Read, and limits the wait for its first answer.
func OpenWith[D any](ctx context.Context, url string, open func(context.Context, string) (*D, error)) (*D, error) {
	if url == "" {
		return nil, ErrNoDatabase
	}
	ctx, cancel := context.WithTimeout(ctx, timeout.FirstAnswer)
	defer cancel()
	return open(ctx, url)
}

// ErrNoDatabase means that no setting names a database.
var ErrNoDatabase = errors.New("no database is named: use --db sqlite:history.db, VEDETTE_DB, or db in the file of --config")
