package delivery

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Finished is the result of one call of Finish.
type Finished struct {
	// Sent, Again and Dead count the deliveries that were sent, wait for another try, or
	// became dead letters.
	Sent, Again, Dead int
	// Lost counts outcomes whose claim had ended. They changed nothing.
	Lost int
	// Channel is the shared state of the channel.
	Channel Channel
}

// Finish stores the outcomes of tries of one channel, in the order in which the tries
// ended, in one transaction. An outcome whose claim was taken back has no effect, because
// the fencing token is a condition of the UPDATE.
//
// Errors: those of the database. The caller retries with the same outcomes.
func Finish(ctx context.Context, db *sqldb.DB, channel string, outcomes []Outcome, p Policy) (Finished, error) {
	p = p.withDefaults()
	ctx, done := db.Bounded(ctx)
	defer done()
	var f finish
	err := db.Transact(ctx, func(tx *sqldb.Tx) error {
		locked, err := lockChannels(ctx, tx, channel)
		if err != nil {
			return err
		}
		f = finish{tx: tx, policy: p, done: Finished{Channel: locked[0]}}
		return f.run(ctx, outcomes)
	})
	if err != nil {
		return Finished{}, fmt.Errorf("results of channel %s: %w", channel, err)
	}
	return f.done, nil
}

// finish is the transaction of Finish. It has locked the row of the channel.
type finish struct {
	tx     *sqldb.Tx
	policy Policy
	now    time.Time // end of the last try
	ended  []int64   // lanes whose front ended
	done   Finished
}

// sentKey has the columns that sent deliveries of one UPDATE have in common.
type sentKey struct {
	token       int64
	attempts    int
	status, ref string
}

func (f *finish) run(ctx context.Context, outcomes []Outcome) error {
	for i := range outcomes {
		if o := &outcomes[i]; o.At.IsZero() {
			o.At = f.tx.Now()
		}
		if outcomes[i].At.After(f.now) {
			f.now = outcomes[i].At
		}
	}
	sent, recovered := map[sentKey][]int64{}, false
	for i := range outcomes {
		o := &outcomes[i]
		recovered = f.done.Channel.note(o, f.policy, o.At) || recovered
		if o.Result == Delivered {
			key := sentKey{o.Delivery.Token, o.Delivery.Attempts + 1, cut(o.Status, maxWord), cut(o.Ref, maxWord)}
			sent[key] = append(sent[key], o.Delivery.ID)
			f.ended = append(f.ended, o.Delivery.Lane)
			continue
		}
		if err := f.failed(ctx, o); err != nil {
			return err
		}
	}
	for key, ids := range sent {
		slices.Sort(ids)
		changed, err := updateRows(ctx, f.tx, ids, "state = ?, attempts = ?, next_at = ?, sent_at = ?, status = ?, ref = ?, last_error = ?", "state = ? AND claim = ?",
			int16(Sent), key.attempts, micros(f.now), micros(f.now), key.status, key.ref, "", int16(Sending), key.token)
		if err != nil {
			return err
		}
		f.done.Sent += int(changed)
		f.done.Lost += len(ids) - int(changed)
	}
	if err := advance(ctx, f.tx, f.ended, f.now); err != nil {
		return err
	}
	if recovered { // the waiting deliveries failed because of the channel
		_, err := f.tx.Exec(ctx, "UPDATE deliveries SET next_at = ? WHERE channel = ? AND state = ? AND next_at > ? AND attempts > 0", micros(f.now), f.done.Channel.Name, int16(Waiting), micros(f.now))
		if err != nil {
			return err
		}
	}
	return f.done.Channel.save(ctx, f.tx, f.now)
}

// failed stores the outcome of a delivery that was not sent.
func (f *finish) failed(ctx context.Context, o *Outcome) error {
	attempts, to, next := o.Delivery.Attempts, Waiting, f.now
	switch o.Result {
	case Temporary:
		if o.Delivery.Due.After(o.At) { // a trial of the channel does not count as a try of the delivery
			next = o.Delivery.Due
			break
		}
		attempts++
		wait, more := f.policy.wait(attempts, o.RetryAfter)
		if next = o.At.Add(wait); !more {
			to, next = Dead, f.now
		}
	case Permanent:
		attempts++
		to = Dead
	}
	changed, err := updateRows(ctx, f.tx, []int64{o.Delivery.ID}, "state = ?, attempts = ?, next_at = ?, claim = 0, status = ?, last_error = ?", "state = ? AND claim = ?",
		int16(to), attempts, micros(next), cut(o.Status, maxWord), cut(o.Error, maxText), int16(Sending), o.Delivery.Token)
	switch {
	case err != nil:
		return err
	case changed == 0:
		f.done.Lost++
	case to == Dead:
		f.done.Dead++
		f.ended = append(f.ended, o.Delivery.Lane)
	default:
		f.done.Again++
	}
	return nil
}
