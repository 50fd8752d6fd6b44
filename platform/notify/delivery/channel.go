package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Cause is the reason why a channel pauses. The numbers are stored in the database.
type Cause int16

// The causes of a pause.
const (
	// Running: the channel does not pause.
	Running Cause = iota
	// Broken: the channel pauses after several failures. Then one delivery is tried.
	Broken
	// Throttled: the channel pauses because the endpoint requested it.
	Throttled
)

// String returns "running", "broken" or "throttled".
func (c Cause) String() string {
	switch c {
	case Broken:
		return "broken"
	case Throttled:
		return "throttled"
	}
	return "running"
}

// Channel is the state of a channel that replicas share.
type Channel struct {
	// Name is the name of the channel in the configuration.
	Name string
	// Failures counts the failures since the last success.
	Failures int
	// PausedUntil is the end of the pause, and Cause its reason. A pause that has ended
	// stays stored.
	PausedUntil time.Time
	Cause       Cause
	// DisabledAt is the time when the endpoint reported, with Reason, that it no longer
	// exists; zero if the channel is in use.
	DisabledAt time.Time
	Reason     string

	token  int64 // of the last claim
	rateAt int64 // when the allowance is full again, in microseconds
	trial  int64 // token of the claim that tries a broken channel; 0 if no trial is in progress
}

const channelColumns = "name, token, rate_at, failures, open_until, cause, trial, disabled_at, reason"

// scanner is a row of a query.
type scanner interface{ Scan(...any) error }

func scanChannel(row scanner) (c Channel, err error) {
	var open, disabled int64
	err = row.Scan(&c.Name, &c.token, &c.rateAt, &c.Failures, &open, &c.Cause, &c.trial, &disabled, &c.Reason)
	c.PausedUntil, c.DisabledAt = moment(open), moment(disabled)
	return c, err
}

// Channels returns the shared state of all channels, ordered by name.
//
// Errors: those of the database.
func Channels(ctx context.Context, q sqldb.Querier) (all []Channel, err error) {
	err = q.Query(ctx, "SELECT "+channelColumns+" FROM notify_channels ORDER BY name", nil, func(rows *sql.Rows) error {
		c, err := scanChannel(rows)
		all = append(all, c)
		return err
	})
	return all, err
}

// readChannel returns a channel without locking it. A channel without a row is in use.
func readChannel(ctx context.Context, q sqldb.Querier, name string) (Channel, error) {
	c, err := scanChannel(q.QueryRow(ctx, "SELECT "+channelColumns+" FROM notify_channels WHERE name = ?", name))
	if errors.Is(err, sql.ErrNoRows) {
		return Channel{Name: name}, nil
	}
	return c, err
}

// lockChannels locks the rows of some channels until the transaction ends, and inserts
// missing rows. All callers lock in the order of the names.
func lockChannels(ctx context.Context, tx *sqldb.Tx, names ...string) ([]Channel, error) {
	slices.Sort(names)
	var all []Channel
	for _, name := range slices.Compact(names) {
		for inserted := false; ; inserted = true {
			c, err := scanChannel(tx.QueryRow(ctx, "SELECT "+channelColumns+" FROM notify_channels WHERE name = ?"+tx.ForUpdate(), name))
			if errors.Is(err, sql.ErrNoRows) && !inserted {
				err = insertChannels(ctx, tx, []string{name})
				if err == nil {
					continue
				}
			}
			if err != nil {
				return nil, err
			}
			all = append(all, c)
			break
		}
	}
	// In a cluster such as Galera, locks are local to a node, but two transactions that
	// write the same row still conflict.
	for i := range all {
		c := &all[i]
		c.token++
		changed, err := tx.Exec(ctx, "UPDATE notify_channels SET token = ? WHERE name = ? AND token = ?", c.token, c.Name, c.token-1)
		if err != nil {
			return nil, err
		}
		if changed != 1 {
			return nil, fmt.Errorf("channel %s: another worker changed its row", c.Name)
		}
	}
	return all, nil
}

func insertChannels(ctx context.Context, tx *sqldb.Tx, names []string) error {
	var rows [][]any
	for _, name := range names {
		rows = append(rows, []any{name, int64(0), int64(0), int64(0), int64(0), int16(0), int64(0), int64(0), "", int64(0)})
	}
	return tx.InsertNew(ctx, "notify_channels", []string{"name", "token", "rate_at", "failures", "open_until", "cause", "trial", "disabled_at", "reason", "checked_at"}, rows, "name")
}

// ensureChannels inserts the missing rows of channels.
func ensureChannels(ctx context.Context, tx *sqldb.Tx, names []string) error {
	var missing []string
	for _, name := range names {
		var n int
		if err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM notify_channels WHERE name = ?", name).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return insertChannels(ctx, tx, missing)
}

// save writes a channel whose row the transaction has locked.
func (c *Channel) save(ctx context.Context, tx *sqldb.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, "UPDATE notify_channels SET rate_at = ?, failures = ?, open_until = ?, cause = ?, trial = ?, disabled_at = ?, reason = ?, checked_at = ? WHERE name = ?",
		c.rateAt, c.Failures, micros(c.PausedUntil), int16(c.Cause), c.trial, micros(c.DisabledAt), cut(c.Reason, maxText), micros(now), c.Name)
	return err
}
