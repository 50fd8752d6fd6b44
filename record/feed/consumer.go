package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/record/sqldb"
)

// Consumer reads the feed with a named cursor. Several processes may run consumers with
// one name: each transition is handled by one of them.
type Consumer struct {
	// Name is the name of the cursor, at most 100 bytes.
	Name string
	// Start says where the cursor begins if it does not exist yet; default Oldest.
	Start Start
	// Batch is how many positions one call of Handle covers at most; default 500.
	Batch int
	// Every makes the consumer call Handle at least so often, with no transitions if there
	// are none. Of several replicas, one does so. 0 means: only with transitions.
	Every time.Duration
	// Prepare is called before the transaction of each call of Handle, with the same
	// transitions. It may be slow. Handle need not follow, because another replica may be
	// first. It may be nil.
	Prepare func(ctx context.Context, some []Transition) error
	// Handle handles transitions in the transaction that moves the cursor. If it returns an
	// error, both are rolled back. It must not call slow services, because the transaction
	// holds locks and ends after sqldb.Timeout.
	Handle func(ctx context.Context, tx *sqldb.Tx, some []Transition) error
	// Committed is called after each transaction of Handle that was committed. It must not
	// block. It may be nil.
	Committed func()
	// Owner names this process in the list of cursors; default the name of the host and the
	// number of the process.
	Owner string
	// Logger receives faults. Default: the value of slog.Default() when the line is written.
	Logger *slog.Logger
}

// Consume calls handle for all transitions of the feed in their order, until ctx ends. It
// creates a cursor with the name if there is none, which begins at Oldest. The statements
// of handle in tx commit together with the cursor, so they take effect exactly once. All
// other effects of handle occur at least once.
//
// Errors: those of Consumer.Run.
func Consume(ctx context.Context, db *sqldb.DB, name string, handle func(ctx context.Context, tx *sqldb.Tx, some []Transition) error) error {
	return Consumer{Name: name, Handle: handle}.Run(ctx, db)
}

// Run consumes the feed until ctx ends, and then returns nil. It blocks.
//
// Errors of the database, of Prepare and of Handle do not end it. It rolls back, logs an
// error that occurs twice in a row once, and tries again after 50 ms to 30 s. A
// transition that Handle always refuses blocks the cursor.
//
// Errors: an invalid field; ErrExpired if the cursor has expired; ErrNoCursor if it was
// removed meanwhile.
func (c Consumer) Run(ctx context.Context, db *sqldb.DB) error {
	c, err := c.withDefaults()
	if err != nil {
		return err
	}
	f := c.follow(db)
	fault := &faultlog.Reporter{Fault: "the feed cannot be consumed", Over: "the feed is consumed", Logger: c.logger, Attrs: []any{"cursor", c.Name}}
	defer fault.Stop()
	failed := 0
	for {
		wait, err := f.step(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrExpired), errors.Is(err, ErrNoCursor):
			return err
		case err == nil:
			failed = 0
			fault.See(faultlog.State{})
		default:
			if failed++; failed > 1 { // databases abort one of two transactions that wait for each other
				fault.See(faultlog.State{Kind: "consumer", Err: err})
			}
			wait = jitter(min(firstRetry<<min(failed-1, 10), lastRetry))
		}
		if !sleep(ctx, wait) {
			return nil
		}
	}
}

// follow returns what moves the cursor of a consumer with its defaults.
func (c *Consumer) follow(db *sqldb.DB) *follower {
	return &follower{db: db, name: c.Name, owner: c.Owner, start: c.Start, batch: int64(c.Batch), every: c.Every, prepare: c.Prepare, handle: c.Handle, committed: c.Committed}
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

// maxName bounds the name of a cursor in bytes.
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
	}
	if c.Batch == 0 {
		c.Batch = readAtOnce
	}
	if c.Owner == "" {
		host, _ := os.Hostname() // an empty name is valid
		c.Owner = fmt.Sprintf("%s/%d", host, os.Getpid())
	}
	return c, nil
}
