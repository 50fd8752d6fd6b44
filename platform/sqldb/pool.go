package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// idleConns is the maximum number of idle connections in a pool.
const idleConns = 4

// pool holds the connections to one database, with its driver.
type pool struct {
	Fragments
	driver  Driver
	address Address
	db      *sql.DB
	clock   serverClock
}

// newPool opens a pool, and returns after the database has answered.
//
// Errors: an Error if the database does not answer within Timeout.
func newPool(ctx context.Context, driver Driver, a Address, access Access) (*pool, error) {
	dialect := driver.Dialect()
	p := &pool{Fragments: Fragments{&dialect}, driver: driver, address: a}
	var err error
	if p.db, err = a.Connect(access); err != nil {
		return nil, p.explain(err)
	}
	p.db.SetMaxIdleConns(idleConns)
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if err := p.db.PingContext(ctx); err != nil {
		_ = p.db.Close()
		return nil, p.refused(err)
	}
	p.refresh(ctx)
	return p, nil
}

// refused returns the error of a first connection as an Error. It has a remedy.
func (p *pool) refused(err error) error {
	e, known := explain(err, p.address, p.driver.Explain)
	switch {
	case e == nil:
		return err
	case !known:
		e.Problem, e.Remedy = "the server sent an unexpected answer", "check that this is the address of a "+p.dialect.Name+" server"
	case e.Problem == "" && e.Remedy == "" && p.address.File != "":
		e.Remedy = "look up the error in the manual of " + p.dialect.Name
	case e.Problem == "" && e.Remedy == "":
		e.Problem, e.Remedy = "the server refused the connection", "look up the error in the manual of "+p.dialect.Name+", and read the log of the server"
	}
	return e
}

// explain returns an error as an Error, unless it is nil or wraps one.
func (p *pool) explain(err error) error {
	p.leave(err)
	if e, _ := explain(err, p.address, p.driver.Explain); e != nil {
		return e
	}
	return err
}

// explainKnown is like explain, for an error that may come from the caller of this package.
// An error of the caller stays unchanged.
func (p *pool) explainKnown(err error) error {
	p.leave(err)
	if e, known := explain(err, p.address, p.driver.Explain); known {
		return e
	}
	return err
}

// leave closes the idle connections if an error means that their server takes no writes, so
// that the next connections find one that does.
func (p *pool) leave(err error) {
	if err != nil && p.db != nil && p.driver.ReadOnly(err) { // db is nil if it could not be opened
		p.dropIdle()
	}
}

// dropIdle closes the idle connections.
func (p *pool) dropIdle() {
	p.db.SetMaxIdleConns(0)
	p.db.SetMaxIdleConns(idleConns)
}

// refresh reads the clock of the server if the last reading is stale.
func (p *pool) refresh(ctx context.Context) {
	if p.dialect.Clock == "" {
		return
	}
	p.clock.refresh(func() (at int64, err error) {
		err = p.db.QueryRowContext(ctx, p.dialect.Clock).Scan(&at)
		return at, err
	})
}

// now implements DB.Now.
func (p *pool) now() time.Time {
	if p.dialect.Clock == "" {
		return p.clock.local(time.Now())
	}
	return p.clock.now()
}

// bounded implements DB.Bounded.
func (p *pool) bounded(ctx context.Context) (bound context.Context, done func()) {
	return p.limit(ctx, Timeout)
}

// limit implements bounded with a timeout.
func (p *pool) limit(ctx context.Context, timeout time.Duration) (bound context.Context, done func()) {
	bound, cancel := context.WithTimeout(ctx, timeout)
	return bound, func() {
		late := bound.Err() != nil && ctx.Err() == nil
		cancel()
		if late {
			p.dropIdle()
		}
	}
}

// tryLock implements DB.TryLock.
func (p *pool) tryLock(ctx context.Context, name string) (unlock func() error, ours bool, err error) {
	return p.driver.TryLock(ctx, p.db, p.address, name)
}
