package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Mute selects the messages that a person does not want. Empty fields match everything; at
// least Person or Channel is set.
type Mute struct {
	ID int64
	// Person is a name in the table of people; Channel and Receiver are a channel and an
	// address there.
	Person, Channel, Receiver string
	// Object and Rule select muted messages. Digests is set if digests are muted too.
	Object  int64
	Rule    string
	Digests bool
	// Until is the end of the mute; zero means the end of the job.
	Until     time.Time
	CreatedAt time.Time
	CreatedBy string
}

// Matches reports whether a mute applies to a delivery at a time.
func (m *Mute) Matches(d *Delivery, at time.Time) bool {
	switch {
	case !m.Until.IsZero() && !at.Before(m.Until):
		return false
	case m.Person != "" && m.Person != d.Person,
		m.Channel != "" && m.Channel != d.Channel,
		m.Receiver != "" && m.Receiver != d.Receiver,
		m.Object != 0 && m.Object != d.Object,
		m.Rule != "" && m.Rule != d.Rule:
		return false
	}
	return !m.Digests || d.Kind == "Digest"
}

// AddMute stores a mute. If a mute with the same selection exists, it gets the new end.
//
// Errors: a mute of everything; a mute with neither an end nor an object; those of the
// database.
func AddMute(ctx context.Context, db *sqldb.DB, m Mute) error {
	switch {
	case m.Person == "" && m.Channel == "":
		return fmt.Errorf("a mute needs a person or a channel")
	case m.Until.IsZero() && m.Object == 0:
		return fmt.Errorf("a mute without an end needs a job")
	}
	hash := digestOf("mute", m.Person, m.Channel, m.Receiver, strconv.FormatInt(m.Object, 10), m.Rule, strconv.FormatBool(m.Digests))
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		err := tx.InsertNew(ctx, "mutes", []string{"content_hash", "person", "channel", "receiver", "object_id", "rule_name", "digests", "until_at", "created_at", "created_by"},
			[][]any{{hash, cut(m.Person, maxWord), cut(m.Channel, maxWord), cut(m.Receiver, maxKey), m.Object, cut(m.Rule, maxWord), number(m.Digests), micros(m.Until), micros(db.Now()), cut(m.CreatedBy, maxWord)}}, "content_hash")
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE mutes SET until_at = ? WHERE content_hash = ?", micros(m.Until), hash); err != nil {
			return err
		}
		return audit(ctx, tx, m.CreatedBy, "mute", fmt.Sprintf("person %s channel %s object %d rule %s until %s", m.Person, m.Channel, m.Object, m.Rule, m.Until.UTC().Format(time.RFC3339)))
	})
}

// Mutes returns the mutes that apply at a time.
//
// Errors: those of the database.
func Mutes(ctx context.Context, q sqldb.Querier, at time.Time) (all []Mute, err error) {
	err = q.Query(ctx, "SELECT id, person, channel, receiver, object_id, rule_name, digests, until_at, created_at, created_by FROM mutes WHERE until_at = 0 OR until_at > ? ORDER BY id", []any{micros(at)}, func(rows *sql.Rows) error {
		var m Mute
		var until, created int64
		err := rows.Scan(&m.ID, &m.Person, &m.Channel, &m.Receiver, &m.Object, &m.Rule, &m.Digests, &until, &created, &m.CreatedBy)
		m.Until, m.CreatedAt = moment(until), moment(created)
		all = append(all, m)
		return err
	})
	return all, err
}

// RemoveMute removes a mute. by is the person who requests it.
//
// Errors: ErrUnknown; those of the database.
func RemoveMute(ctx context.Context, db *sqldb.DB, id int64, by string) error {
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		n, err := tx.Exec(ctx, "DELETE FROM mutes WHERE id = ?", id)
		if err == nil && n == 0 {
			err = fmt.Errorf("mute %d: %w", id, ErrUnknown)
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, by, "unmute", strconv.FormatInt(id, 10))
	})
}

// EndMutes removes the mutes that last until some jobs end. The planner calls it after
// they ended.
//
// Errors: those of the database.
func EndMutes(ctx context.Context, tx *sqldb.Tx, objects []int64) error {
	for len(objects) > 0 {
		some := objects[:min(chunk, len(objects))]
		if _, err := tx.Exec(ctx, "DELETE FROM mutes WHERE until_at = 0 AND object_id IN "+in(some)); err != nil {
			return err
		}
		objects = objects[len(some):]
	}
	return nil
}
