package feed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Read the feed after a position that the caller keeps. Consume keeps the position in the
// database instead.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "vedette")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "history.db")) // a recorder fills it
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		fmt.Println(err)
		return
	}
	var last feed.Position
	for t, err := range feed.Read(ctx, db, last) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.Position, t.Object.Name, t.To)
		last = t.Position
	}
	fmt.Println("read up to", last)
	// Output: read up to 0
}
