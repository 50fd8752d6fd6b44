package notify_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Ask which messages a file of rules would have sent during the last day.
func ExamplePreview() {
	file, err := config.Parse("notify.yaml", []byte(`
people: {ann: {email: ann@example.com, prefers: terminal}}
channels: {terminal: {type: stdout}}
rules: [{name: my failures, enter: [Failed], to: [owner]}]
`), config.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
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
	now := time.Now()
	forecast, err := notify.Preview(ctx, db, file, now.Add(-24*time.Hour), now, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(forecast.Transitions, "transitions,", len(forecast.Receivers), "receivers")
	// Output: 0 transitions, 0 receivers
}
