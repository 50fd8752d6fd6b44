package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

// Forever is an age that nothing reaches.
const Forever = time.Duration(math.MaxInt64)

// Retention says how much of the history stays. The zero value keeps all.
//
// What objects are now is never removed, nor the last revision of one that is there,
// nor the transition to the state that it is in; nor what recorders need to resume,
// nor gaps that are open. A revision that others are kept as a difference from stays
// until they go.
type Retention struct {
	// Keep is how long revisions and transitions stay after they were seen; default
	// Forever. A deleted object is removed with the revision of its deletion.
	Keep time.Duration
	// PerState is the same for objects in a state, and for those that were in it when
	// they were deleted.
	PerState map[state.State]time.Duration
	// KeepBodies is how long the bodies of revisions stay; default as long as they. The
	// last of an object stays.
	KeepBodies time.Duration
	// KeepLast is how many revisions of each object that is there stay, with their
	// bodies, whatever their age; default 1.
	KeepLast int
	// MaxBytes is how large the database may become; default unlimited. Beyond it the
	// oldest revisions go first, whatever their states, but none of the last hour.
	MaxBytes int64
	// Every is how often Retain looks; default one hour. With MaxBytes it looks at the
	// size every five minutes.
	Every time.Duration
}

// Unlimited reports whether all is kept.
func (r Retention) Unlimited() bool {
	return r.Keep == 0 && len(r.PerState) == 0 && r.KeepBodies == 0 && r.MaxBytes == 0
}

// youngest is the age below which size alone removes nothing: a recorder that is
// behind may still write beside it.
const youngest = time.Hour

// normal returns the retention with its defaults.
//
// Errors: what can not be meant.
func (r Retention) normal() (Retention, error) {
	forever := func(d *time.Duration) {
		if *d == 0 {
			*d = Forever
		}
	}
	forever(&r.Keep)
	forever(&r.KeepBodies)
	r.KeepLast = max(r.KeepLast, 1)
	if r.Every == 0 {
		r.Every = time.Hour
	}
	switch {
	case r.Keep < 0 || r.KeepBodies < 0 || r.Every < 0:
		return r, errors.New("retention: an age is negative")
	case r.MaxBytes < 0:
		return r, errors.New("retention: the size is negative")
	}
	for s, age := range r.PerState {
		switch {
		case age <= 0:
			return r, fmt.Errorf("retention: the age of state %s is %v; want more than 0", s, age)
		case s == state.Deleted:
			return r, errors.New("retention: deleted objects are kept by the state that they were in before")
		}
	}
	return r, nil
}

// age is how long revisions of an object stay that is in a state.
func (r *Retention) age(of state.State) time.Duration {
	if age, told := r.PerState[of]; told {
		return age
	}
	return r.Keep
}

// least is the smallest of the ages: nothing that is younger can be due.
func (r *Retention) least() time.Duration {
	least := r.Keep
	for _, age := range r.PerState {
		least = min(least, age)
	}
	return least
}

// Pruned counts what was removed.
type Pruned struct {
	// Objects are those of which nothing is left.
	Objects int
	// Revisions and Transitions are rows; Thinned revisions have lost their bodies.
	Revisions, Transitions, Thinned int
	// Bytes is about what all of that took.
	Bytes int64
	// Ledger are rows of coverage and of gaps that were healed.
	Ledger int
	// Busy: another process was at it, and nothing was done here.
	Busy bool
	// Size is what the database takes afterwards.
	Size sqldb.Size
	// Over is by how much it is larger than it may be: what is left is needed, or
	// younger than an hour.
	Over int64
}

// String returns "3 objects, 40 revisions, …".
func (p Pruned) String() string {
	return fmt.Sprintf("%d objects, %d revisions, the contents of %d others, %d transitions, %d rows of the ledger", p.Objects, p.Revisions, p.Thinned, p.Transitions, p.Ledger)
}

// Prune removes what need not be kept, in small steps between which writers have
// their turn. Of several who do so at once, in whatever process, one does it.
//
// Errors: an illegal retention; what the database says. What was removed before
// stays removed: the next call goes on there.
func (d *Database) Prune(ctx context.Context, r Retention) (Pruned, error) {
	return d.prune(ctx, r, pruner{now: time.Now()})
}

// PruneDry counts what Prune would remove by age and by state, and removes nothing.
// What more the size costs is not counted: Pruned.Over says by how much it is too
// large.
func (d *Database) PruneDry(ctx context.Context, r Retention) (Pruned, error) {
	return d.prune(ctx, r, pruner{now: time.Now(), dry: true})
}

func (d *Database) prune(ctx context.Context, r Retention, p pruner) (Pruned, error) {
	var err error
	if p.Retention, err = r.normal(); err != nil {
		return Pruned{}, err
	}
	p.d = d
	if !p.dry {
		unlock, ours, err := d.TryLock(ctx, "vedette retention")
		if err != nil {
			return Pruned{}, fmt.Errorf("%s: retention: %w", d, err)
		}
		if !ours {
			return Pruned{Busy: true}, nil
		}
		defer func() { _ = unlock() }() // the connection or the process ends it too
	}
	if err := p.run(ctx); err != nil {
		return p.Pruned, fmt.Errorf("%s: retention: %w", d, err)
	}
	return p.Pruned, nil
}

// Retain prunes now and then, until ctx is done. It blocks.
//
// Errors: an illegal retention. Later ones are logged, and it is tried again.
func (d *Database) Retain(ctx context.Context, r Retention, log *slog.Logger) error {
	r, err := r.normal()
	if err != nil {
		return err
	}
	every := r.Every
	if r.MaxBytes > 0 {
		every = min(every, 5*time.Minute)
	}
	wait := time.NewTimer(min(time.Minute, every)) // recorders that start have other things to do
	defer wait.Stop()
	var last time.Time
	for {
		select {
		case <-wait.C:
		case <-ctx.Done():
			return nil
		}
		now := r
		if time.Since(last) < r.Every { // the size only
			now = Retention{MaxBytes: r.MaxBytes, KeepLast: r.KeepLast}
		} else {
			last = time.Now()
		}
		done, err := d.Prune(ctx, now)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			log.Error("the history could not be shortened", "err", err)
		case done.Over > 0:
			log.Warn("the database is larger than it may be, and what is left is needed or of the last hour", "bytes", done.Size.Used, "over", done.Over)
		case done.Revisions+done.Thinned+done.Objects > 0:
			log.Info("the history was shortened", "removed", done.String(), "bytes", done.Size.Used)
		}
		wait.Reset(every)
	}
}
