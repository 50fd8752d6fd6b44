package feed

import (
	"context"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Step runs one step of a new consumer.
func Step(ctx context.Context, db *sqldb.DB, c Consumer) error {
	c, err := c.withDefaults()
	if err != nil {
		return err
	}
	_, err = c.follow(db).step(ctx)
	return err
}

// Age makes the oldest entry that a tail has seen overdue.
func (t *Tail) Age() { t.since = t.since.Add(-leftFor) }
