package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// ClaimOptions are the options of a claim.
type ClaimOptions struct {
	// Worker names the worker, for people who read the database.
	Worker string
	// Limit is the maximum number of deliveries; default 1.
	Limit int
	// Lease is the duration of the claim unless Extend extends it; default one minute.
	Lease time.Duration
	// Rate is the rate limit of the channel, for all replicas together.
	Rate Rate
	// Threshold is Policy.Threshold.
	Threshold int
	// Now is the time of the claim; default sqldb.DB.Now.
	Now time.Time
}

// Claimed is the result of a claim.
type Claimed struct {
	// Deliveries are the claimed deliveries, at most one of each lane. All have the same
	// Token.
	Deliveries []Delivery
	// Until is the end of the claim.
	Until time.Time
	// Rescued is the number of claims of other workers that had ended without a result.
	Rescued int
	// Next is the earliest time when another claim may succeed; zero if unknown.
	Next time.Time
	// Channel is the shared state of the channel.
	Channel Channel
}

// maxRescues is the number of crashed workers after which their common delivery is
// considered the cause.
const maxRescues = 100

// farFuture is a time at which every delivery is due.
var farFuture = time.UnixMicro(1 << 60)

// Claim claims due deliveries, and commits before it returns. It takes only the first
// delivery of a lane, and only if no earlier one is unsent. It first takes back claims
// whose lease has ended. From a broken channel it takes one delivery, even if that is not
// due, to notice early that the channel works again. A channel without work costs two
// queries and no write.
//
// Errors: those of the database. The caller retries.
func Claim(ctx context.Context, db *sqldb.DB, channel string, o ClaimOptions) (Claimed, error) {
	if o.Now.IsZero() {
		o.Now = db.Now()
	}
	if o.Lease <= 0 {
		o.Lease = time.Minute
	}
	o.Limit, o.Threshold = max(1, o.Limit), Policy{Threshold: o.Threshold}.withDefaults().Threshold
	ctx, done := db.Bounded(ctx)
	defer done()
	c, due, err := peek(ctx, db, channel, &o)
	if err != nil {
		return c, fmt.Errorf("%s: channel %s: %w", db, channel, err)
	}
	if !due {
		return c, nil
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		var err error
		c, err = claim(ctx, tx, channel, &o)
		return err
	})
	if err != nil {
		return Claimed{Channel: c.Channel}, fmt.Errorf("claim of channel %s: %w", channel, err)
	}
	return c, nil
}

// peek reports whether a claim could succeed, without a lock.
func peek(ctx context.Context, db *sqldb.DB, channel string, o *ClaimOptions) (c Claimed, due bool, err error) {
	if c.Channel, err = readChannel(ctx, db, channel); err != nil {
		return c, false, err
	}
	ready, next := c.Channel.ready(o.Now)
	if c.Next = next; !ready {
		return c, false, nil
	}
	const first = "(SELECT d.next_at FROM deliveries d WHERE d.channel = ? AND d.state = ? ORDER BY d.next_at LIMIT 1)"
	var waiting, sending sql.NullInt64
	if err := db.QueryRow(ctx, "SELECT "+first+", "+first, channel, int16(Waiting), channel, int16(Sending)).Scan(&waiting, &sending); err != nil {
		return c, false, err
	}
	if waiting.Valid && c.Channel.Failures >= o.Threshold {
		waiting.Int64 = micros(o.Now)
	}
	for _, at := range []sql.NullInt64{waiting, sending} {
		if at.Valid && (c.Next.IsZero() || at.Int64 < c.Next.UnixMicro()) {
			c.Next = moment(at.Int64)
		}
	}
	if c.Next.IsZero() || c.Next.After(o.Now) {
		return c, false, nil
	}
	if n, next := o.Rate.allowance(c.Channel.rateAt, o.Now); n == 0 {
		c.Next = next
		return c, false, nil
	}
	return c, true, nil
}

// claim claims deliveries in a transaction.
func claim(ctx context.Context, tx *sqldb.Tx, channel string, o *ClaimOptions) (c Claimed, err error) {
	locked, err := lockChannels(ctx, tx, channel)
	if err != nil {
		return c, err
	}
	c.Channel = locked[0]
	if ready, next := c.Channel.ready(o.Now); !ready {
		c.Next = next
		return c, nil
	}
	if c.Rescued, err = rescue(ctx, tx, channel, o.Now); err != nil {
		return c, err
	}
	allowed, next := o.Rate.allowance(c.Channel.rateAt, o.Now)
	if c.Next = next; allowed == 0 {
		return c, nil
	}
	limit, due := min(o.Limit, allowed), o.Now
	if c.Channel.Failures >= o.Threshold {
		limit, due = 1, farFuture
	}
	c.Deliveries, err = selectDeliveries(ctx, tx, "FROM deliveries d"+tx.UseIndex("deliveries_due")+" WHERE d.channel = ? AND d.state = ? AND d.next_at <= ? ORDER BY d.next_at, d.id LIMIT ?",
		channel, int16(Waiting), micros(due), limit)
	if err != nil || len(c.Deliveries) == 0 {
		return c, err
	}
	c.Until = o.Now.Add(o.Lease)
	c.Channel.begin(o.Threshold, limit, c.Until)
	ids := make([]int64, len(c.Deliveries))
	for i := range c.Deliveries {
		d := &c.Deliveries[i]
		ids[i], d.State, d.Token, d.ClaimedBy, d.Due, d.NextAt = d.ID, Sending, c.Channel.token, o.Worker, d.NextAt, c.Until
	}
	changed, err := updateRows(ctx, tx, ids, "state = ?, claim = ?, claimed_by = ?, next_at = ?", "state = ?",
		int16(Sending), c.Channel.token, cut(o.Worker, maxWord), micros(c.Until), int16(Waiting))
	if err != nil {
		return c, err
	}
	if changed != int64(len(ids)) {
		return c, fmt.Errorf("%d of %d deliveries changed meanwhile", int64(len(ids))-changed, len(ids))
	}
	c.Channel.rateAt = o.Rate.take(c.Channel.rateAt, o.Now, len(ids))
	_, c.Next = o.Rate.allowance(c.Channel.rateAt, o.Now)
	return c, c.Channel.save(ctx, tx, o.Now)
}

// Rescue takes back the claims of a channel whose lease has ended, because their worker
// crashed or lost its connection to the database. It returns their number. Claim does the
// same.
//
// Errors: those of the database.
func Rescue(ctx context.Context, db *sqldb.DB, channel string, now time.Time) (rescued int, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		if _, err := lockChannels(ctx, tx, channel); err != nil {
			return err
		}
		rescued, err = rescue(ctx, tx, channel, now)
		return err
	})
	return rescued, err
}

// rescue returns deliveries to Waiting. The caller has locked the row of the channel.
func rescue(ctx context.Context, tx *sqldb.Tx, channel string, now time.Time) (int, error) {
	expired := "FROM deliveries d" + tx.UseIndex("deliveries_due") + " WHERE d.channel = ? AND d.state = ? AND d.next_at <= ? ORDER BY d.next_at, d.id LIMIT ?"
	ids, err := selectNumbers(ctx, tx, "SELECT d.id "+expired, channel, int16(Sending), micros(now), 5*chunk)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	n, err := updateRows(ctx, tx, ids, "state = ?, claim = 0, next_at = ?, rescues = rescues + 1", "state = ?", int16(Waiting), micros(now), int16(Sending))
	if err != nil {
		return 0, err
	}
	var lanes []int64
	for some := ids; len(some) > 0; some = some[min(chunk, len(some)):] {
		found, err := selectNumbers(ctx, tx, "SELECT lane FROM deliveries WHERE id IN "+in(some[:min(chunk, len(some))])+" AND rescues >= ?", maxRescues)
		if err != nil {
			return 0, err
		}
		lanes = append(lanes, found...)
	}
	if len(lanes) == 0 {
		return int(n), nil
	}
	if _, err := updateRows(ctx, tx, ids, "state = ?, last_error = ?", "state = ? AND rescues >= ?", int16(Dead), "too many workers crashed while they sent it", int16(Waiting), maxRescues); err != nil {
		return 0, err
	}
	return int(n), advance(ctx, tx, lanes, now)
}

// Extend extends a claim of deliveries that are still being sent, and returns the IDs of
// the deliveries that the claim still holds. The worker cancels the others.
//
// Errors: those of the database.
func Extend(ctx context.Context, db *sqldb.DB, channel string, all []Delivery, until, now time.Time) (kept map[int64]bool, err error) {
	ctx, done := db.Bounded(ctx)
	defer done()
	kept = map[int64]bool{}
	byToken := map[int64][]int64{}
	for i := range all {
		byToken[all[i].Token] = append(byToken[all[i].Token], all[i].ID)
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		locked, err := lockChannels(ctx, tx, channel)
		if err != nil {
			return err
		}
		c := &locked[0]
		for token, ids := range byToken {
			if _, err := updateRows(ctx, tx, ids, "next_at = ?", "state = ? AND claim = ?", micros(until), int16(Sending), token); err != nil {
				return err
			}
			found, err := selectNumbers(ctx, tx, "SELECT id FROM deliveries WHERE id IN "+in(ids)+" AND state = ? AND claim = ?", int16(Sending), token)
			if err != nil {
				return err
			}
			for _, id := range found {
				kept[id] = true
			}
			c.extend(token, until)
		}
		return c.save(ctx, tx, now)
	})
	if err != nil {
		return nil, fmt.Errorf("claim of channel %s: %w", channel, err)
	}
	return kept, nil
}
