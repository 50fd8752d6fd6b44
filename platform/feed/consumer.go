package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Consumer reads the feed with a named cursor. Several processes may run consumers with the
// same name: one of them handles each transition.
type Consumer struct {
	// Name is the name of the cursor, at most 100 bytes.
	Name string
	// Start is the position of a new cursor. Default: Oldest.
	Start Start
	// Batch is the maximum number of positions for one call of Handle, multiplied by the
	// number of partitions of a PartitionedConsumer. Default: 500.
	Batch int
	// Every is the maximum time between two calls of Handle. When it has passed, one of the
	// replicas calls Handle, possibly without transitions. 0 means that Handle is called
	// only with transitions.
	Every time.Duration
	// Decided passes entries of the kind Decided, too.
	Decided bool
	// Prepare is called before the transaction of each call of Handle, with the same
	// transitions. It may be slow. Handle may not follow, because another replica may be
	// faster. Prepare may be nil.
	Prepare func(ctx context.Context, some []Transition) error
	// Handle handles transitions within the transaction that moves the cursor. If it
	// returns an error, both are rolled back. It must not call slow services, because the
	// transaction holds locks and ends after sqldb.Timeout.
	Handle func(ctx context.Context, tx *sqldb.Tx, some []Transition) error
	// Committed is called after each committed transaction of Handle. It must not block. It
	// may be nil.
	Committed func()
	// Lease makes replicas take turns: the replica that handles transitions holds the cursor,
	// and renews its lease three times in this time. Another replica takes the cursor when
	// the holder stops, or has not renewed its lease for this time by the clock of the
	// database. Use it if Prepare is expensive, because without a lease all replicas
	// prepare the same transitions. All replicas must have the same lease. The context of
	// Prepare ends when the lease does. At least 1 s; 0 means no lease.
	Lease time.Duration
	// Owner names this process in the list of cursors. Default: the host name and the
	// process ID.
	Owner string
	// Logger receives faults. Default: the value of slog.Default() at the time of the
	// message.
	Logger *slog.Logger
}

// Consume calls handle for all transitions of the feed in order, until ctx ends. If the
// cursor does not exist, Consume creates it at Oldest. The statements of handle in tx
// commit together with the cursor, so they take effect exactly once. All other effects of
// handle occur at least once.
//
// Errors: those of Consumer.Run.
func Consume(ctx context.Context, db *sqldb.DB, name string, handle func(ctx context.Context, tx *sqldb.Tx, some []Transition) error) error {
	return Consumer{Name: name, Handle: handle}.Run(ctx, db)
}

// Run consumes the feed until ctx ends, and then returns nil. It blocks.
//
// An error of the database, of Prepare or of Handle does not end Run. Run rolls the
// transaction back, logs an error once if it occurs twice in a row, and retries after 50 ms
// to 30 s. A transition that Handle always refuses blocks the cursor.
//
// Errors: an invalid field; ErrExpired if the cursor has expired; ErrNoCursor if the cursor
// was removed or divided; ErrDivided if it has partitions.
func (c Consumer) Run(ctx context.Context, db *sqldb.DB) error {
	if name, p := parseCursor(c.Name); p.Of > 1 {
		return fmt.Errorf("feed: the cursor %q has the name of a partition: use PartitionedConsumer with the name %q", c.Name, name)
	}
	c, err := c.withDefaults()
	if err != nil {
		return err
	}
	return c.run(ctx, c.follow(db))
}

// run consumes the feed with a follower until ctx ends.
func (c *Consumer) run(ctx context.Context, f *follower) error {
	if c.Lease > 0 {
		defer f.hold(ctx)()
	}
	fault := &faultlog.Reporter{Fault: "cannot consume the feed", Over: "consuming the feed again", Logger: c.logger, Attrs: []any{"cursor", c.Name}}
	defer fault.Stop()
	failed := 0
	for {
		wait, err := f.step(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrExpired), errors.Is(err, ErrNoCursor), errors.Is(err, ErrDivided):
			return err
		case err == nil:
			failed = 0
			fault.See(faultlog.State{})
		default:
			if failed++; failed > 1 { // a database aborts one of two deadlocked transactions
				fault.See(faultlog.State{Kind: "consumer", Err: err})
			}
			wait = jitter(min(firstRetry<<min(failed-1, 10), lastRetry))
		}
		if pause.For(ctx, wait) != nil {
			return nil
		}
	}
}

// follow returns a follower for a consumer whose defaults are set.
func (c *Consumer) follow(db *sqldb.DB) *follower {
	return &follower{db: db, partition: Partition{Of: 1}, name: c.Name, owner: c.Owner, start: c.Start, decided: c.Decided, batch: int64(c.Batch), every: c.Every, lease: lease{d: c.Lease}, prepare: c.Prepare, handle: c.Handle, committed: c.Committed}
}

// The delay between attempts doubles from firstRetry to lastRetry.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 30 * time.Second
)

func (c *Consumer) logger() *slog.Logger {
	if c.Logger != nil {
		return c.Logger
	}
	return slog.Default()
}

// maxName is the maximum length of a cursor name in bytes.
const maxName = 100

// withDefaults returns a consumer with its defaults.
//
// Errors: an invalid field.
func (c Consumer) withDefaults() (Consumer, error) {
	switch {
	case c.Name == "" || len(c.Name) > maxName:
		return c, fmt.Errorf("feed: the name of a cursor has %d bytes: want 1 to %d", len(c.Name), maxName)
	case c.Handle == nil:
		return c, errors.New("feed: Consumer.Handle is nil")
	case c.Batch < 0 || c.Every < 0:
		return c, errors.New("feed: Consumer.Batch or Consumer.Every is negative")
	case c.Lease != 0 && c.Lease < time.Second:
		return c, errors.New("feed: Consumer.Lease is less than one second")
	}
	if c.Batch == 0 {
		c.Batch = readAtOnce
	}
	c.Owner = cmp.Or(c.Owner, processName())
	return c, nil
}

// processName returns the name of this process for people.
func processName() string {
	host, _ := os.Hostname() // an empty name is valid
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
