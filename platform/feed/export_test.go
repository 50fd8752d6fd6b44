package feed

import (
	"context"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
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

// StepPartitions runs one step of a consumer for each partition of a cursor.
func StepPartitions(ctx context.Context, db *sqldb.DB, c Consumer) error {
	parts, err := partsOf(ctx, db, c.Name)
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		return Step(ctx, db, c)
	}
	for _, p := range parts {
		one := c
		one.Name = p.FeedCursor.Name
		if one, err = one.withDefaults(); err != nil {
			return err
		}
		f := one.follow(db)
		f.partition, f.exists, f.token = p.Partition, true, p.Token
		if _, err := f.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Share returns how many partitions each of some replicas holds after some rounds of
// decisions in an order, and how many partitions moved. owners are the holders at the
// beginning; "" means none.
func Share(owners []string, order []string) (held map[string]int, moves int) {
	all := make([]holding, len(owners))
	for i, o := range owners {
		all[i].owner = o
	}
	for _, self := range order {
		d := share(all, self)
		if d.stolen >= 0 {
			d.free = append(d.free, d.stolen)
		}
		for _, i := range d.free {
			all[i].owner = self
			moves++
		}
	}
	held = map[string]int{}
	for _, h := range all {
		held[h.owner]++
	}
	return held, moves
}

// CountPartition returns the number of rows of the feed in a partition.
func CountPartition(ctx context.Context, db *sqldb.DB, p Partition) (n int, err error) {
	err = model.ReadFeed(ctx, db, 0, 1<<40, p.filter(), func(model.FeedRow) { n++ })
	return n, err
}
