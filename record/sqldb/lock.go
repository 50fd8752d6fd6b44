package sqldb

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock takes a lock of the database by its name, unless somebody has it. It ends
// with the process that has it, or with its connection.
func (d *DB) TryLock(ctx context.Context, name string) (unlock func() error, ours bool, err error) {
	if d.dialect == sqlite {
		return tryFile(d.file + ".retention.lock")
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return nil, false, err
	}
	take, give := "SELECT pg_try_advisory_lock(hashtext($1))", "SELECT pg_advisory_unlock(hashtext($1))"
	if d.dialect == mysql {
		take, give = "SELECT GET_LOCK(CONCAT(DATABASE(), ?), 0) = 1", "SELECT RELEASE_LOCK(CONCAT(DATABASE(), ?)) = 1"
	}
	if err := conn.QueryRowContext(ctx, take, name).Scan(&ours); err != nil || !ours {
		return nil, false, errors.Join(err, conn.Close())
	}
	return func() error {
		var gave bool
		err := conn.QueryRowContext(context.WithoutCancel(ctx), give, name).Scan(&gave)
		return errors.Join(err, conn.Close())
	}, true, nil
}

// tryFile is that of a file.
func tryFile(name string) (unlock func() error, ours bool, err error) {
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
	return f.Close, true, nil // which gives it back
}
