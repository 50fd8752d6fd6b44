package export_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vedette-io/vedette/platform/send/export"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// A database without transitions gives no files.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "export-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "history.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Migrate(ctx); err != nil {
		fmt.Println(err)
		return
	}
	days, err := export.Run(ctx, export.Config{DB: db, Store: export.Folder(filepath.Join(dir, "history"))})
	fmt.Println(len(days), err)
	// Output: 0 <nil>
}
