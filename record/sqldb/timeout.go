package sqldb

import "time"

const (
	// Timeout bounds one unit of work in the database: a transaction, or a few queries.
	// A connection that takes longer counts as dead, because its other side may have
	// vanished without closing it.
	Timeout = 30 * time.Second

	// IdleTransactionTimeout is how long a transaction may be idle before the server ends
	// it and releases its locks. It is shorter than Timeout, so a process that waits for
	// the locks of a vanished one gets them.
	IdleTransactionTimeout = 20 * time.Second

	// ConnectTimeout bounds the time to connect. The operating system would wait for
	// minutes.
	ConnectTimeout = 10 * time.Second
)
