package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/vedette-io/vedette/internal/filelock"
)

// SessionLock describes a named lock that a session of a server holds.
type SessionLock struct {
	// Take is a query with the name as its parameter. It does not wait. It returns true or
	// 1 if the session has taken the lock.
	Take string
	// Hold is an optional statement that keeps the server from closing the session while it
	// is idle.
	Hold string
	// Release is a query with the name as its parameter.
	Release string
}

// Try implements Driver.TryLock for a server. The lock has a separate connection.
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
		// Close the session instead of returning it to the pool, because Hold has changed
		// it. Raw returns ErrBadConn.
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
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

// TryFileLock implements Driver.TryLock for a local database, with a lock on a file. It
// creates the file and never removes it. The lock ends with the process.
func TryFileLock(name string) (unlock func() error, ours bool, err error) {
	return filelock.Try(name)
}

// lockRetry is the pause between two attempts to take a lock.
const lockRetry = 50 * time.Millisecond

// waitForLock tries to take a lock until it succeeds or the context ends.
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
