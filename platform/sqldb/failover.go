package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// failover connects to the first of several servers that takes writes. All connections go to
// one server until it fails, because a transaction may depend on the rows of the previous
// one, which another server may not have yet.
type failover struct {
	hosts []host
	check func(context.Context, driver.Conn) error // returns an error if the server takes no writes; nil: all do

	mu      sync.Mutex
	current int // index of the host of the last connection
}

// host is a server with its name for errors.
type host struct {
	driver.Connector
	name string
}

// Driver implements driver.Connector.
func (f *failover) Driver() driver.Driver { return f.hosts[0].Driver() }

// Connect implements driver.Connector.
//
// Errors: those of all hosts.
func (f *failover) Connect(ctx context.Context) (driver.Conn, error) {
	f.mu.Lock()
	first := f.current
	f.mu.Unlock()
	var all []error
	for i := range f.hosts {
		n := (first + i) % len(f.hosts)
		conn, err := f.connect(ctx, f.hosts[n])
		if err == nil {
			f.mu.Lock()
			f.current = n
			f.mu.Unlock()
			return conn, nil
		}
		all = append(all, fmt.Errorf("%s: %w", f.hosts[n].name, err))
	}
	return nil, errors.Join(all...)
}

func (f *failover) connect(ctx context.Context, h host) (driver.Conn, error) {
	conn, err := h.Connect(ctx)
	if err != nil || f.check == nil {
		return conn, err
	}
	if err := f.check(ctx, conn); err != nil {
		_ = conn.Close() // the first error is more useful
		return nil, err
	}
	return conn, nil
}
