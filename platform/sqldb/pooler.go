package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// sessionSettings are the settings of a session, in the units of the server.
var sessionSettings = map[string]string{
	"lock_timeout":                        strconv.FormatInt(LockTimeout.Milliseconds(), 10),
	"idle_in_transaction_session_timeout": strconv.FormatInt(IdleTransactionTimeout.Milliseconds(), 10),
	// All queries here read a few thousand rows at most, by an index. The planner has too
	// old statistics of a table that grows, and wrong ones of a large table. It would then
	// read the whole table, or compile a query for half a second.
	"enable_seqscan": "off", "jit": "off",
}

// poolerConnector connects to PostgreSQL, directly or through a pooler such as PgBouncer. A
// pooler in transaction mode gives each transaction any session of the server. So there are
// no named statements behind it, and no settings of the session: each transaction sets them.
type poolerConnector struct {
	driver.Connector
	known  atomic.Bool // whether there is a pooler
	pooled atomic.Bool
}

// newPoolerConnector returns a connector whose first connection finds out about the pooler.
func newPoolerConnector(cfg pgx.ConnConfig) *poolerConnector {
	c := &poolerConnector{}
	c.Connector = stdlib.GetConnector(cfg, stdlib.OptionBeforeConnect(func(_ context.Context, cfg *pgx.ConnConfig) error {
		if c.pooled.Load() {
			cfg.Config = *cfg.Config.Copy() // the map of parameters is shared
			for name := range sessionSettings {
				delete(cfg.RuntimeParams, name)
			}
			cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		return nil
	}))
	return c
}

// Connect implements driver.Connector.
func (c *poolerConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	switch {
	case c.known.Load():
		return c.shared(conn), err
	case err != nil && !refusesParameter(err):
		return nil, err
	case err == nil:
		pooled, err := isPooled(ctx, conn.(*stdlib.Conn).Conn())
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		if !pooled {
			c.known.Store(true)
			return conn, nil
		}
		_ = conn.Close() // the next connection has other options
	}
	c.pooled.Store(true)
	c.known.Store(true)
	conn, err = c.Connector.Connect(ctx)
	return c.shared(conn), err
}

// shared returns a connection that knows whether it is one of a pooler.
func (c *poolerConnector) shared(conn driver.Conn) driver.Conn {
	if of, ok := conn.(*stdlib.Conn); ok && c.pooled.Load() {
		return pooledConn{of}
	}
	return conn
}

// stdlibConn is a name for stdlib.Conn whose field does not hide the method Conn.
type stdlibConn = stdlib.Conn

// pooledConn is a connection to a pooler. Each transaction has the settings of the session.
type pooledConn struct{ *stdlibConn }

// BeginTx implements driver.ConnBeginTx.
func (c pooledConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.stdlibConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	if _, err := c.ExecContext(ctx, localSettings, nil); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

// localSettings sets the settings until the end of the transaction.
var localSettings = func() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(sessionSettings)) {
		all = append(all, "set_config('"+name+"', '"+sessionSettings[name]+"', true)")
	}
	return "SELECT " + strings.Join(all, ", ")
}()

// poolerCode is the SQLSTATE code of all errors of PgBouncer.
const poolerCode = "08P01"

// refusesParameter reports whether an error is the answer of PgBouncer to a setting of the
// session that it does not know.
func refusesParameter(err error) bool {
	pg := (*pgconn.PgError)(nil)
	return errors.As(err, &pg) && pg.Code == poolerCode && strings.Contains(pg.Message, "unsupported startup parameter")
}

// isPooled reports whether the session belongs to a pooler. A pooler invents the number of
// the process that it sends to its client, because it has several processes of the server.
func isPooled(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var process uint32
	err := conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&process)
	return process != conn.PgConn().PID(), err
}
