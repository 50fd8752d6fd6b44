package feed

import (
	"context"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Step does one step of a consumer that has just started.
func Step(ctx context.Context, db *sqldb.DB, c Consumer) error {
	c, err := c.withDefaults()
	if err != nil {
		return err
	}
	_, err = c.follow(db).step(ctx)
	return err
}

// Age makes what a tail has seen older than it leaves to recorders.
func (t *Tail) Age() { t.since = t.since.Add(-leftFor) }
