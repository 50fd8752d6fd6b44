package history_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Read the jobs that failed during the last day, page by page.
func Example() {
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
	failed := history.Filter{
		Types:  []history.Type{{Group: "batch", Resource: "jobs"}},
		States: []job.State{job.Failed}, Since: time.Now().Add(-24 * time.Hour),
	}
	n := 0
	h := history.New(db)
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return h.ListTransitions(ctx, failed, p)
	}
	for change, err := range history.All(ctx, history.Paging{}, list) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(change.Object.Name, change.Reason)
		n++
	}
	fmt.Println(n, "failures")
	// Output: 0 failures
}
