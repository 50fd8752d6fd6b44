package delivery

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Subscription is a request of a person for the messages about a job, or about the jobs
// with some labels.
type Subscription struct {
	ID int64
	// Person is the subscriber. The creator of the row has checked that the person may
	// read the job.
	Person string
	// Cluster, Type, Namespace, Name and UID select jobs; empty fields select all. Labels
	// is a label selector. States are the states that cause messages, separated by commas;
	// "" means all.
	Cluster, Type, Namespace, Name, UID string
	Labels, States                      string
	// Channel and Address are the destination of the messages.
	Channel, Address string
	CreatedAt        time.Time
	CreatedBy        string
	// VerifiedAt is the time when the owner of the address confirmed it; nothing is sent
	// before.
	VerifiedAt time.Time
	// MutedUntil is the time when messages continue; zero if they are not muted.
	MutedUntil time.Time
}

// ErrCode is the error for a wrong or expired code.
var ErrCode = errors.New("the code is wrong or has expired; subscribe again to get a new one")

// Limits of subscriptions. Planners hold all of them in memory.
const (
	// MostOfPerson is the maximum number of subscriptions of a person.
	MostOfPerson = 1000
	// MostOfAll is the maximum number of all subscriptions.
	MostOfAll = 50_000
	// maxSelection is the maximum size of the labels, the states and the address of a
	// subscription together, in bytes.
	maxSelection = 4 << 10
)

// ErrTooMany is the error for a subscription above a limit.
var ErrTooMany = errors.New("too many subscriptions")

// maxTries is the maximum number of codes that can be tried for one address.
const maxTries = 5

const subscriptionColumns = "id, person, cluster, object_type, namespace, name, uid, labels, states, channel, address, created_at, created_by, verified_at, muted_until"

// Subscribe stores a subscription, and returns its ID. A subscription with the same
// content keeps its ID; if it is not verified, it gets the new code. Send the code to the
// address only. An empty code means that the address needs no verification.
//
// Errors: a subscription without a channel or with a selection of more than 4 KiB;
// ErrTooMany if the person has MostOfPerson others, or if MostOfAll others exist; those of
// the database.
func Subscribe(ctx context.Context, db *sqldb.DB, s Subscription, code string, validFor time.Duration) (id int64, err error) {
	if s.Channel == "" {
		return 0, errors.New("a subscription needs a channel")
	}
	if len(s.Labels)+len(s.States)+len(s.Address) > maxSelection {
		return 0, fmt.Errorf("the labels, states and address of a subscription have more than %d bytes", maxSelection)
	}
	now := db.Now()
	verified, until, secret := micros(now), int64(0), make([]byte, 16)
	content := digestOf("subscription", s.Person, s.Cluster, s.Type, s.Namespace, s.Name, s.UID, s.Labels, s.States, s.Channel, s.Address)
	if code != "" {
		verified, until, secret = 0, micros(now.Add(validFor)), codeHash(content, code)
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		changes, err := lockSubscriptions(ctx, tx) // before the count, which others must not change
		if err != nil {
			return err
		}
		if err := roomFor(ctx, tx, content, cut(s.Person, maxWord)); err != nil {
			return err
		}
		err = tx.InsertNew(ctx, "subscriptions", []string{
			"content_hash", "person", "cluster", "object_type", "namespace", "name", "uid", "labels", "states", "channel", "address",
			"created_at", "created_by", "verified_at", "code_hash", "code_until", "tries", "muted_until",
		}, [][]any{{
			content, cut(s.Person, maxWord), cut(s.Cluster, maxWord), cut(s.Type, maxWord), cut(s.Namespace, maxKind), cut(s.Name, maxWord+maxKind), cut(s.UID, maxKind), cut(s.Labels, maxKey),
			cut(s.States, maxText), cut(s.Channel, maxWord), cut(s.Address, maxKey), micros(now), cut(s.CreatedBy, maxWord), verified, secret, until, int16(0), int64(0),
		}}, "content_hash")
		if err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT id FROM subscriptions WHERE content_hash = ?", content).Scan(&id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE subscriptions SET verified_at = ?, code_hash = ?, code_until = ?, tries = 0 WHERE id = ? AND verified_at = 0", verified, secret, until, id); err != nil {
			return err
		}
		if err := changes.write(ctx, tx, id); err != nil {
			return err
		}
		return audit(ctx, tx, s.CreatedBy, "subscribe", fmt.Sprintf("subscription %d of %s on channel %s", id, s.Person, s.Channel))
	})
	return id, err
}

// roomFor returns ErrTooMany if a person, or everybody, has the maximum of subscriptions
// without the one with a hash.
func roomFor(ctx context.Context, tx *sqldb.Tx, content []byte, person string) error {
	var own, all int
	if err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM subscriptions WHERE person = ? AND content_hash <> ?", person, content).Scan(&own); err != nil {
		return err
	}
	if own >= MostOfPerson {
		return fmt.Errorf("%w: %s has %d, the maximum; remove some first", ErrTooMany, person, own)
	}
	if err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM subscriptions WHERE content_hash <> ?", content).Scan(&all); err != nil {
		return err
	}
	if all >= MostOfAll {
		return fmt.Errorf("%w: %d exist, the maximum of all people; ask the operator", ErrTooMany, all)
	}
	return nil
}

// codeHash returns the stored hash of a code.
func codeHash(content []byte, code string) []byte { return digestOf("code", string(content), code) }

// Verify confirms the address of a subscription with the code that was sent to it.
//
// Errors: ErrCode; ErrUnknown; those of the database.
func Verify(ctx context.Context, db *sqldb.DB, id int64, code string) error {
	wrong := false
	err := db.Transact(ctx, func(tx *sqldb.Tx) error {
		changes, err := lockSubscriptions(ctx, tx)
		if err != nil {
			return err
		}
		// The try is counted first, and its row is locked, so parallel guesses do not
		// help.
		n, err := tx.Exec(ctx, "UPDATE subscriptions SET tries = tries + 1 WHERE id = ? AND verified_at = 0 AND tries < ?", id, maxTries)
		if err != nil {
			return err
		}
		var content, secret []byte
		var until, verified int64
		err = tx.QueryRow(ctx, "SELECT content_hash, code_hash, code_until, verified_at FROM subscriptions WHERE id = ?", id).Scan(&content, &secret, &until, &verified)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("subscription %d: %w", id, ErrUnknown)
		case err != nil:
			return err
		case verified > 0:
			return nil
		}
		if n == 0 || until <= micros(tx.Now()) || subtle.ConstantTimeCompare(secret, codeHash(content, code)) != 1 {
			wrong = true // the try is still counted
			return nil
		}
		if _, err = tx.Exec(ctx, "UPDATE subscriptions SET verified_at = ? WHERE id = ?", micros(tx.Now()), id); err != nil {
			return err
		}
		return changes.write(ctx, tx, id)
	})
	if err == nil && wrong {
		err = ErrCode
	}
	return err
}

// Subscriptions returns the subscriptions of a person, or all if person is "", in the
// order of their creation.
//
// Errors: those of the database.
func Subscriptions(ctx context.Context, q sqldb.Querier, person string) ([]Subscription, error) {
	if person == "" {
		return selectSubscriptions(ctx, q, "")
	}
	return selectSubscriptions(ctx, q, " WHERE person = ?", person)
}

// SubscriptionsOf returns the subscriptions with some IDs, except those that do not exist.
//
// Errors: those of the database.
func SubscriptionsOf(ctx context.Context, q sqldb.Querier, ids []int64) (all []Subscription, err error) {
	for some := range slices.Chunk(ids, chunk) {
		more, err := selectSubscriptions(ctx, q, " WHERE id IN "+in(some))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// selectSubscriptions returns the subscriptions that a condition selects.
func selectSubscriptions(ctx context.Context, q sqldb.Querier, where string, args ...any) (all []Subscription, err error) {
	err = q.Query(ctx, "SELECT "+subscriptionColumns+" FROM subscriptions"+where+" ORDER BY id", args, func(rows *sql.Rows) error {
		var s Subscription
		var created, verified, muted int64
		err := rows.Scan(&s.ID, &s.Person, &s.Cluster, &s.Type, &s.Namespace, &s.Name, &s.UID, &s.Labels, &s.States, &s.Channel, &s.Address, &created, &s.CreatedBy, &verified, &muted)
		s.CreatedAt, s.VerifiedAt, s.MutedUntil = moment(created), moment(verified), moment(muted)
		all = append(all, s)
		return err
	})
	return all, err
}

// MuteSubscription stops the messages of a subscription until a time; the zero time
// unmutes it. person must be its owner; "" is an operator. by is the person who requests
// it.
//
// Errors: ErrUnknown; those of the database.
func MuteSubscription(ctx context.Context, db *sqldb.DB, id int64, person string, until time.Time, by string) error {
	return changeSubscription(ctx, db, "UPDATE subscriptions SET muted_until = ? WHERE id = ?", []any{micros(until), id}, id, person, by, "mute-subscription")
}

// Unsubscribe removes a subscription. person must be its owner; "" is an operator. by is
// the person who requests it.
//
// Errors: ErrUnknown; those of the database.
func Unsubscribe(ctx context.Context, db *sqldb.DB, id int64, person, by string) error {
	return changeSubscription(ctx, db, "DELETE FROM subscriptions WHERE id = ?", []any{id}, id, person, by, "unsubscribe")
}

func changeSubscription(ctx context.Context, db *sqldb.DB, statement string, args []any, id int64, person, by, action string) error {
	if person != "" {
		statement, args = statement+" AND person = ?", append(args, person)
	}
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		changes, err := lockSubscriptions(ctx, tx)
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, statement, args...)
		if err == nil && n == 0 {
			err = fmt.Errorf("subscription %d: %w", id, ErrUnknown)
		}
		if err != nil {
			return err
		}
		if err := changes.write(ctx, tx, id); err != nil {
			return err
		}
		return audit(ctx, tx, by, action, strconv.FormatInt(id, 10))
	})
}
