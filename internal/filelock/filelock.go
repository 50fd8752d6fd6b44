// Package filelock locks files, so that only one process at a time uses them.
//
// # Data flow
//
// Try and TryData open a file, lock it, and return the function that unlocks it.
//
// # Ownership
//
// The caller that acquired a lock releases it, once. The operating system unlocks the
// files of a process that ends.
//
// # Guarantees
//
// At most one process holds the lock of a path, and within a process one caller. Lock
// files are not removed: after a removal, two processes could lock different files with
// the same name.
//
// # Limits
//
// Only users of this package, and of flock(2), respect the lock. Network file systems may
// lock for one machine only.
//
// # Errors
//
// Those of the file system. A lock that another process holds is not an error.
package filelock

import (
	"context"
	"os"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// Try locks a file without waiting. It creates the file if it does not exist. ours is
// false if another process, or another caller in this process, holds the lock.
func Try(path string) (unlock func() error, ours bool, err error) {
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if ours, err = l.TryLock(); err != nil || !ours {
		return nil, false, err
	}
	return l.Unlock, true, nil
}

// retry is the interval of attempts of Wait. Locks have no notification.
const retry = 100 * time.Millisecond

// Wait locks a file as [Try] does, after its holder has unlocked it. It calls waiting once
// if it has to wait.
//
// Errors: those of the file system; the cause of ctx.
func Wait(ctx context.Context, path string, waiting func()) (unlock func() error, err error) {
	tick := time.NewTicker(retry)
	defer tick.Stop()
	for told := false; ; told = true {
		unlock, ours, err := Try(path)
		if err != nil || ours {
			return unlock, err
		}
		if !told {
			waiting()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// TryData is Try for a file that its owner reads and writes. On Windows a lock prevents
// even its owner from reading the locked bytes, so TryData locks the file with the suffix
// .lock.
func TryData(path string) (unlock func() error, ours bool, err error) {
	if runtime.GOOS == "windows" {
		path += ".lock"
	}
	return Try(path)
}
