package sqldb

import "time"

const (
	// Timeout limits one unit of work in the database: a transaction, or a few queries. A
	// connection that takes longer counts as dead, because its peer may have vanished
	// without closing it.
	Timeout = 30 * time.Second

	// IdleTransactionTimeout is the idle time after which the server ends a transaction and
	// releases its locks. It is shorter than Timeout, so a process that waits for the locks
	// of a vanished process gets them.
	IdleTransactionTimeout = 20 * time.Second

	// LockTimeout limits the time in which a statement waits for the lock of a row, on a
	// server. The session of a vanished process notices nothing while it waits. Without this
	// limit it would get the lock in its turn, and hold it for IdleTransactionTimeout: many
	// such sessions could keep a lock for minutes.
	LockTimeout = 5 * time.Second

	// ConnectTimeout limits the time to connect. The operating system would wait for
	// minutes.
	ConnectTimeout = 10 * time.Second
)
