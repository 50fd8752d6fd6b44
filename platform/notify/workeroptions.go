package notify

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// WorkerOptions configure Workers. DB and Compose are required.
type WorkerOptions struct {
	DB      *sqldb.DB
	Compose ComposeFunc
	// Name names the process for people who read the database.
	Name string
	// Logger logs faults; default slog.Default.
	Logger *slog.Logger
	// Parallel is the number of messages of a channel that are sent concurrently; default
	// 8.
	Parallel int
	// Lease is the duration of a claim that is not extended; default one minute. It is the
	// maximum delay of a message after a crash of its worker.
	Lease time.Duration
	// Poll is the interval in which workers check a channel for deliveries without a call
	// of Wake; default 200 ms.
	Poll time.Duration
	// Grace is the maximum duration of tries after ctx of Run has ended; default 10 s.
	// Storing their results may then take another Grace, or 10 s if Grace is shorter.
	Grace time.Duration
	// Keep is the time that deliveries stay in the database after their end; default 30
	// days.
	Keep time.Duration
	// Policy determines when failed deliveries are retried.
	Policy delivery.Policy

	reloaded *atomic.Pointer[delivery.Policy] // replaces Policy if it is set
}

// policy returns the policy that applies now.
func (o *WorkerOptions) policy() delivery.Policy {
	if p := o.reloaded.Load(); p != nil {
		return *p
	}
	return o.Policy
}

// outstanding is the maximum number of deliveries of a channel that are claimed at the
// same time. Some wait in memory, so that the pool never waits for the database.
func (o *WorkerOptions) outstanding() int { return 4 * o.Parallel }
