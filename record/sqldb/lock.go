package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// SessionLock is a named lock that a session of a server holds.
type SessionLock struct {
	// Take is a query with the name as its parameter. It returns true or 1 if the session
	// has taken the lock; it does not wait.
	Take string
	// Hold is a statement that keeps the server from ending an idle session. It may be
	// empty.
	Hold string
	// Release is a query with the name as its parameter.
	Release string
}

// Try takes the lock with a connection of its own: Driver.TryLock for a server.
func (l SessionLock) Try(ctx context.Context, db *sql.DB, name string) (unlock func() error, ours bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, false, err
	}
	if err := conn.QueryRowContext(ctx, l.Take, name).Scan(&ours); err != nil || !ours {
		return nil, false, errors.Join(err, conn.Close())
	}
	unlock = func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout)
		defer cancel()
		var released any
		err := conn.QueryRowContext(ctx, l.Release, name).Scan(&released)
		// The session ends here: the pool must not hand out one that Hold has changed.
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // which it returns
		return err
	}
	if l.Hold == "" {
		return unlock, true, nil
	}
	if _, err := conn.ExecContext(ctx, l.Hold); err != nil {
		return nil, false, errors.Join(err, unlock())
	}
	return unlock, true, nil
}

// TryFileLock takes a lock on a file, which it creates: Driver.TryLock for a database on
// this machine. The lock ends with the process.
func TryFileLock(name string) (unlock func() error, ours bool, err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, false, f.Close()
	case err != nil:
		return nil, false, errors.Join(err, f.Close())
	}
	return f.Close, true, nil // closing it releases the lock
}

// lockRetry is the pause between attempts to take a lock that another process holds.
const lockRetry = 50 * time.Millisecond

// waitForLock tries to take a lock until it can.
func waitForLock(ctx context.Context, try func() (unlock func() error, ours bool, err error)) (unlock func() error, err error) {
	tick := time.NewTicker(lockRetry)
	defer tick.Stop()
	for {
		unlock, ours, err := try()
		switch {
		case ours:
			return unlock, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
