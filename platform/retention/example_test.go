package retention_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Ask what a policy would remove: failures stay for half a year, everything else for 90
// days, and bodies for 30.
func ExamplePreview() {
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
	const day = 24 * time.Hour
	result, err := retention.Preview(ctx, db, retention.Policy{
		Keep: 90 * day, Rules: []retention.Rule{{States: []job.State{job.Failed}, Keep: 180 * day}}, KeepBodies: 30 * day,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Revisions, "revisions")
	// Output: 0 revisions
}
