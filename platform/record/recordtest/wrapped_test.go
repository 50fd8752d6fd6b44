package recordtest_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"sync"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// wrapped wraps a driver: every connection consults calls before and after each change.
type wrapped struct {
	sqldb.Driver
	calls *calls
}

// calls decides about the calls of all connections of a driver. Any goroutine may use it.
type calls struct {
	mu    sync.Mutex
	n     int  // changes so far
	end   int  // the change at which the process ends; 0 means none
	after bool // it ends after the change, not before
	ended bool
}

var errEnded = errors.New("the process has ended")

// change runs a statement that may change something, or a commit. It holds no lock in the
// meantime, because the statement may wait for the commit of another connection.
func (c *calls) change(do func() error) error {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return errEnded
	}
	c.n++
	last := c.n == c.end
	c.ended = last
	c.mu.Unlock()
	if last && !c.after {
		return errEnded
	}
	if err := do(); err != nil || !last {
		return err
	}
	return errEnded
}

// alive returns an error if the process has ended.
func (c *calls) alive() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return errEnded
	}
	return nil
}

// Address implements sqldb.Driver.
func (w wrapped) Address(u *url.URL, getenv func(string) string) (sqldb.Address, error) {
	a, err := w.Driver.Address(u, getenv)
	if err != nil {
		return a, err
	}
	connect := a.Connect
	a.Connect = func(access sqldb.Access) (*sql.DB, error) {
		inner, err := connect(access)
		if err != nil {
			return nil, err
		}
		return sql.OpenDB(&connector{inner, w.calls}), nil
	}
	return a, nil
}

// connector makes connections from those of another pool.
type connector struct {
	inner *sql.DB
	calls *calls
}

func (c *connector) Driver() driver.Driver { return c.inner.Driver() }

// Close implements io.Closer: closing the pool closes the pool within.
func (c *connector) Close() error { return c.inner.Close() }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.calls.alive(); err != nil {
		return nil, err
	}
	from, err := c.inner.Conn(ctx)
	if err != nil {
		return nil, err
	}
	conn := &connection{from: from, calls: c.calls}
	return conn, from.Raw(func(inner any) error {
		conn.Conn = inner.(driver.Conn)
		return nil
	})
}

// connection is a connection that another pool has opened.
type connection struct {
	driver.Conn
	from  *sql.Conn
	calls *calls
}

// Close closes the connection permanently: the server ends its transactions.
func (c *connection) Close() error {
	_ = c.from.Raw(func(any) error { return driver.ErrBadConn }) // Raw returns this error
	return nil
}

func (c *connection) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if err := c.calls.alive(); err != nil {
		return nil, err
	}
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
	return transaction{tx, c.calls}, err
}

func (c *connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (result driver.Result, err error) {
	skipped := false // the statement must be prepared
	err = c.calls.change(func() error {
		result, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
		skipped = errors.Is(err, driver.ErrSkip)
		return err
	})
	if skipped {
		return nil, driver.ErrSkip
	}
	return result, err
}

func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.calls.alive(); err != nil {
		return nil, err
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c *connection) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.calls.alive(); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c *connection) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c *connection) ResetSession(ctx context.Context) error {
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

func (c *connection) IsValid() bool {
	v, ok := c.Conn.(driver.Validator)
	return c.calls.alive() == nil && (!ok || v.IsValid())
}

func (c *connection) Ping(ctx context.Context) error {
	if p, ok := c.Conn.(driver.Pinger); ok {
		return p.Ping(ctx)
	}
	return nil
}

// transaction is a transaction of a connection.
type transaction struct {
	driver.Tx
	calls *calls
}

func (t transaction) Commit() error { return t.calls.change(t.Tx.Commit) }

func (t transaction) Rollback() error {
	if err := t.calls.alive(); err != nil {
		return err
	}
	return t.Tx.Rollback()
}
