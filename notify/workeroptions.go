package notify

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/notify/delivery"
	"github.com/vedette-io/vedette/record/sqldb"
)

// WorkerOptions are what Workers need. DB and Compose are required.
type WorkerOptions struct {
	DB      *sqldb.DB
	Compose ComposeFunc
	// Name names the process, for people who read the database.
	Name string
	// Logger takes faults; default slog.Default.
	Logger *slog.Logger
	// Parallel is how many messages of a channel are sent at the same time; default 8.
	Parallel int
	// Lease is how long a claim lasts without a sign of life; default one minute. It is how
	// late a message may be whose worker died.
	Lease time.Duration
	// Poll is how often a channel is asked for deliveries of which Wake did not tell; default
	// 200 ms.
	Poll time.Duration
	// Grace is how long tries may last after Run was told to end; default 10 s. Storing
	// their results may then take as long again, or 10 s if Grace is shorter.
	Grace time.Duration
	// Keep is how long deliveries stay in the database after their end; default 30 days.
	Keep time.Duration
	// Policy says when failed deliveries are tried again.
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

// outstanding is how many deliveries of a channel may be claimed at the same time. Some
// wait in memory, so that the pool never waits for the database.
func (o *WorkerOptions) outstanding() int { return 4 * o.Parallel }
