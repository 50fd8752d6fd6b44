package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// PartitionedConsumer reads the feed with a cursor for each partition of the objects, so
// that replicas share the work. Each replica holds the lease of some partitions; the
// replicas that run divide the partitions evenly among themselves. Transitions of one object
// are handled in order, and those of different partitions concurrently.
//
// A cursor has one partition until Divide changes that. The number is stored in the database,
// and running replicas follow it.
type PartitionedConsumer struct {
	// Name is the name of the cursor, at most 91 bytes. Its partitions have the cursors
	// Name + "/1-of-4" and so on.
	Name string
	// Start is the position of a new cursor. Default: Oldest.
	Start Start
	// Consumer returns the consumer of a partition, when this replica takes it. Run sets its
	// Name, Start, Owner and Logger, and its Lease if there is more than one partition. Each
	// call returns a consumer with a state of its own, because consumers run concurrently.
	Consumer func(Partition) Consumer
	// Ended is called after the consumer of a partition has ended, because another replica
	// has taken it, the cursor was divided, or Run ends. It may be nil.
	Ended func(Partition)
	// Lease is that of Consumer.Lease, for a cursor with several partitions. Default: 15 s.
	Lease time.Duration
	// Owner names this process in the list of cursors; Run adds random digits, because
	// replicas on one host may have the same name. Default: the host name and the process ID.
	Owner string
	// Logger receives faults. Default: the value of slog.Default() at the time of the
	// message.
	Logger *slog.Logger
}

// Run consumes the feed until ctx ends, and then returns nil. It blocks, and joins all
// goroutines of its consumers. See Consumer.Run for faults.
//
// Errors: an invalid field; ErrExpired if the cursor of a partition has expired; ErrNoCursor
// if the cursor was removed.
func (c PartitionedConsumer) Run(ctx context.Context, db *sqldb.DB) error {
	_, p := parseCursor(c.Name)
	switch {
	case p.Of > 1:
		return fmt.Errorf("feed: the cursor %q has the name of a partition", c.Name)
	case c.Name == "" || len(c.Name) > maxBaseName:
		return fmt.Errorf("feed: the name of a cursor with partitions has %d bytes: want 1 to %d", len(c.Name), maxBaseName)
	case c.Consumer == nil:
		return errors.New("feed: PartitionedConsumer.Consumer is nil")
	case c.Lease != 0 && c.Lease < time.Second:
		return errors.New("feed: PartitionedConsumer.Lease is less than one second")
	}
	c.Lease, c.Owner = cmp.Or(c.Lease, 15*time.Second), fmt.Sprintf("%s/%04x", cmp.Or(c.Owner, processName()), rand.IntN(1<<16))
	ctx, stop := context.WithCancel(ctx)
	h := &holder{c: c, db: db, running: map[Partition]*held{}, ended: make(chan error, 1)}
	defer h.work.Wait()
	defer stop()
	return h.run(ctx)
}

// maxBaseName is the maximum length of the name of a cursor with partitions, in bytes. It
// leaves room for the longest partition.
const maxBaseName = maxName - len("/64-of-64")

// holder runs the consumers of the partitions that a replica holds. It belongs to one
// goroutine.
type holder struct {
	c       PartitionedConsumer
	db      *sqldb.DB
	running map[Partition]*held
	existed bool // the cursor was found
	work    sync.WaitGroup
	ended   chan error // unusable cursors
}

// held is a running consumer of a partition.
type held struct {
	stop context.CancelFunc
	done chan struct{}
}

// run takes and returns partitions until ctx ends.
func (h *holder) run(ctx context.Context) error {
	fault := &faultlog.Reporter{Fault: "cannot share the partitions of a cursor", Over: "sharing the partitions of the cursor again", Logger: h.logger, Attrs: []any{"cursor", h.c.Name}}
	defer fault.Stop()
	failed := 0
	for {
		err := h.step(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrNoCursor):
			return err
		case err == nil:
			failed = 0
			fault.See(faultlog.State{})
		default:
			if failed++; failed > 1 {
				fault.See(faultlog.State{Kind: "database", Err: err})
			}
		}
		wait := jitter(min(h.c.Lease/8, time.Second))
		if err != nil {
			wait = jitter(min(firstRetry<<min(failed-1, 10), lastRetry))
		}
		select {
		case err := <-h.ended:
			return err
		default:
		}
		if pause.For(ctx, wait) != nil {
			return nil
		}
	}
}

// step reads the partitions, and takes some of them or ends the consumers of those that are
// lost.
//
// Errors: ErrNoCursor; those of the database.
func (h *holder) step(ctx context.Context) error {
	parts, err := h.parts(ctx)
	if err != nil {
		return err
	}
	h.sweep(parts)
	if len(parts) == 1 {
		h.start(ctx, parts[0].Partition, parts[0].Token, time.Time{})
		return nil
	}
	now := h.db.Now()
	all := make([]holding, len(parts))
	for i, p := range parts {
		switch {
		case h.running[p.Partition] != nil:
			all[i].owner = h.c.Owner // its consumer renews the lease, or takes the cursor again
		case p.Owner != "" && now.Sub(model.Time(p.SeenAt)) <= h.c.Lease:
			all[i].owner = p.Owner
		}
	}
	d := share(all, h.c.Owner)
	if d.stolen >= 0 {
		d.free = append(d.free, d.stolen)
	}
	for _, i := range d.free {
		if err := h.take(ctx, &parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// parts returns the cursors of the partitions. It creates the cursor if it does not exist.
func (h *holder) parts(ctx context.Context) ([]part, error) {
	parts, err := h.read(ctx)
	if err == nil && len(parts) == 0 {
		if h.existed {
			return nil, fmt.Errorf("feed: cursor %q: %w: it was removed", h.c.Name, ErrNoCursor)
		}
		if err = create(ctx, h.db, h.c.Name, "", h.c.Start); err == nil || errors.Is(err, ErrDivided) {
			parts, err = h.read(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	h.existed = len(parts) > 0
	return parts, nil
}

func (h *holder) read(ctx context.Context) ([]part, error) {
	ctx, done := h.db.Bounded(ctx)
	defer done()
	parts, err := partsOf(ctx, h.db, h.c.Name)
	return parts, h.db.Explain(err)
}

// sweep ends the consumers of partitions that no longer exist or that another replica holds,
// and forgets those that have ended.
func (h *holder) sweep(parts []part) {
	current := map[Partition]*part{}
	for i := range parts {
		current[parts[i].Partition] = &parts[i]
	}
	for p, one := range h.running {
		select {
		case <-one.done:
			delete(h.running, p)
			continue
		default:
		}
		now := current[p]
		if now == nil || p.Of > 1 && now.Owner != "" && now.Owner != h.c.Owner {
			one.stop()
			<-one.done
			delete(h.running, p)
		}
	}
}

// take makes this replica the holder of a partition, unless another replica was faster.
func (h *holder) take(ctx context.Context, p *part) error {
	bounded, done := h.db.Bounded(ctx)
	defer done()
	asked := time.Now()
	c := p.FeedCursor
	c.Owner, c.SeenAt = h.c.Owner, model.Micros(h.db.Now())
	taken := false
	err := h.db.Transact(bounded, func(tx *sqldb.Tx) (err error) {
		taken, err = model.AdvanceFeedCursor(bounded, tx, c)
		return err
	})
	if err == nil && (taken || p.ExpiredAt != 0) { // the consumer of an expired cursor returns the error that explains it
		h.start(ctx, p.Partition, p.Token+1, asked)
	}
	return err
}

// start runs the consumer of a partition, unless it runs. token is that of its cursor. A
// time means that this replica has held the partition since then.
func (h *holder) start(ctx context.Context, p Partition, token int64, since time.Time) {
	if h.running[p] != nil {
		return
	}
	one := h.c.Consumer(p)
	one.Name, one.Start, one.Owner, one.Logger = p.cursor(h.c.Name), h.c.Start, h.c.Owner, h.c.Logger
	if p.Of > 1 {
		one.Lease = h.c.Lease
	}
	ctx, stop := context.WithCancel(ctx)
	running := &held{stop, make(chan struct{})}
	h.running[p] = running
	h.work.Go(func() {
		defer close(running.done)
		defer stop()
		err := h.consume(ctx, one, p, token, since)
		if h.c.Ended != nil {
			h.c.Ended(p)
		}
		if err != nil && !errors.Is(err, ErrNoCursor) { // step finds out whether the cursor was divided or removed
			select {
			case h.ended <- err:
			default: // another partition was first
			}
		}
	})
}

// consume runs the consumer of a partition whose cursor exists.
func (h *holder) consume(ctx context.Context, c Consumer, p Partition, token int64, since time.Time) error {
	c, err := c.withDefaults()
	if err != nil {
		return err
	}
	f := c.follow(h.db)
	f.partition, f.batch, f.exists, f.token = p, f.batch*int64(p.Of), true, token
	if !since.IsZero() {
		f.lease.start(token, since)
	}
	return c.run(ctx, f)
}

func (h *holder) logger() *slog.Logger {
	if h.c.Logger != nil {
		return h.c.Logger
	}
	return slog.Default()
}
