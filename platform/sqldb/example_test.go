package sqldb_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Open an SQLite file, create the schema, and read a view. The URL of a server begins with
// postgres:// or mysql://, and everything else is the same.
func Example() {
	dir, err := os.MkdirTemp("", "vedette")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "history.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		fmt.Println(err)
		return
	}
	err = db.Query(ctx, "SELECT COUNT(*) FROM transition_times WHERE to_state = ?", []any{"Failed"}, func(r *sql.Rows) error {
		var n int
		if err := r.Scan(&n); err != nil {
			return err
		}
		fmt.Println(n, "failures")
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 0 failures
}
