package sqldb

import (
	"context"
	"time"
)

// Timeout is how long a database may take for what is done at once. Beyond it the
// connection counts as dead: the other side may have vanished without a word, and
// would be waited for for ever. It is less than what servers of Kubernetes remember.
const Timeout = 30 * time.Second

// orphaned is after how long a server of databases ends a transaction of ours in which
// nothing happens: what has begun it has vanished, and nobody else gets its locks. It
// is less than Timeout, so that who waits for them gets them.
const orphaned = 20 * time.Second

// idleConns is how many connections are kept.
const idleConns = 4

// Bounded returns a context that ends after Timeout. done is to be called when what
// was done with it is over; if it took too long, no connection that was there before
// is used again.
func (d *DB) Bounded(ctx context.Context) (bound context.Context, done func()) {
	bound, cancel := context.WithTimeout(ctx, Timeout)
	return bound, func() {
		late := bound.Err() != nil && ctx.Err() == nil
		cancel()
		if late {
			d.db.SetMaxIdleConns(0)
			d.db.SetMaxIdleConns(idleConns)
		}
	}
}

// current reports whether the schema is the one that this program knows: then there is
// nothing to do, and no lock to wait for.
func (d *DB) current(ctx context.Context) bool {
	ctx, done := d.Bounded(ctx)
	defer done()
	p, err := d.provider()
	if err != nil {
		return false
	}
	var has int64
	row := d.db.QueryRowContext(ctx, "SELECT MAX(version_id) FROM vedette_schema")
	sources := p.ListSources()
	return row.Scan(&has) == nil && has == sources[len(sources)-1].Version
}
