package delivery

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// columns are the columns of a Delivery in the order of scan.
const columns = "d.id, d.key_text, d.kind, d.rule_name, d.channel, d.receiver, d.person, d.role, d.object_id, d.lane, d.feed_position, d.notice, d.state, d.attempts, " +
	"d.next_at, d.created_at, d.sent_at, d.claim, d.claimed_by, d.status, d.ref, d.last_error, d.late, d.replay, d.acked_by, d.acked_at, d.escalate_at"

// scan reads a row of columns.
func scan(rows *sql.Rows) (d Delivery, err error) {
	var next, created, sent, acked, escalate int64
	err = rows.Scan(&d.ID, &d.Key, &d.Kind, &d.Rule, &d.Channel, &d.Receiver, &d.Person, &d.Role, &d.Object, &d.Lane, &d.Position, &d.Event, &d.State, &d.Attempts,
		&next, &created, &sent, &d.Token, &d.ClaimedBy, &d.Status, &d.Ref, &d.LastError, &d.Late, &d.Replay, &d.AckedBy, &acked, &escalate)
	d.NextAt, d.CreatedAt, d.SentAt, d.AckedAt, d.EscalateAt = moment(next), moment(created), moment(sent), moment(acked), moment(escalate)
	return d, err
}

// selectDeliveries returns the rows of a query for columns. tail follows SELECT columns.
func selectDeliveries(ctx context.Context, q sqldb.Querier, tail string, args ...any) (all []Delivery, err error) {
	err = q.Query(ctx, "SELECT "+columns+" "+tail, args, func(rows *sql.Rows) error {
		d, err := scan(rows)
		all = append(all, d)
		return err
	})
	return all, err
}

// selectNumbers returns the values of a query for one integer column.
func selectNumbers(ctx context.Context, q sqldb.Querier, query string, args ...any) (all []int64, err error) {
	err = q.Query(ctx, query, args, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		all = append(all, n)
		return err
	})
	return all, err
}

// insertColumns are the columns of insertRow.
var insertColumns = []string{
	"key_hash", "key_text", "kind", "rule_name", "channel", "receiver", "receiver_hash", "person", "role", "object_id", "lane", "feed_position", "notice", "state",
	"attempts", "rescues", "next_at", "created_at", "sent_at", "claim", "claimed_by", "status", "ref", "last_error", "late", "replay", "acked_by", "acked_at", "escalate_at",
}

// insertRow returns the values of a new delivery.
func insertRow(d *Delivery, hash []byte) []any {
	event := d.Event
	if event == nil {
		event = []byte{}
	}
	return []any{
		hash, cut(d.Key, maxKey), cut(d.Kind, maxKind), cut(d.Rule, maxWord), d.Channel, d.Receiver, receiverHash(d.Channel, d.Receiver), cut(d.Person, maxWord),
		cut(d.Role, maxKind), d.Object, d.Lane, d.Position, event, int16(d.State), int16(0), int16(0), micros(d.NextAt), micros(d.CreatedAt), int64(0), int64(0),
		"", "", "", cut(d.LastError, maxText), number(d.Late), number(d.Replay), "", int64(0), micros(d.EscalateAt),
	}
}

// number converts a bool to the format of the database.
func number(is bool) int16 {
	if is {
		return 1
	}
	return 0
}

// anys returns values as arguments of a statement.
func anys[T any](values []T) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}

// chunk is the maximum number of rows in one statement.
const chunk = 200

// in returns "(1, 2, 3)". ids must not be empty.
func in(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		b.WriteString(map[bool]string{true: "(", false: ", "}[i == 0])
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String() + ")"
}

// numbers returns a subquery with one column that has the given values. ids must not be
// empty.
func numbers(column string, ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i == 0 {
			b.WriteString("(SELECT " + strconv.FormatInt(id, 10) + " AS " + column)
			continue
		}
		b.WriteString(" UNION ALL SELECT " + strconv.FormatInt(id, 10))
	}
	return b.String() + ")"
}

// updateRows runs an UPDATE of some rows of deliveries in the order of their IDs. set and
// condition are SQL with "?" for args.
func updateRows(ctx context.Context, tx *sqldb.Tx, ids []int64, set, condition string, args ...any) (changed int64, err error) {
	for len(ids) > 0 && err == nil {
		var n int64
		some := ids[:min(chunk, len(ids))]
		n, err = tx.Exec(ctx, "UPDATE deliveries SET "+set+" WHERE id IN "+in(some)+" AND "+condition, args...)
		changed, ids = changed+n, ids[len(some):]
	}
	return changed, err
}

// end moves rows from one state to a final state.
func end(ctx context.Context, tx *sqldb.Tx, ids []int64, from, to State, now time.Time) (int64, error) {
	return updateRows(ctx, tx, ids, "state = ?, next_at = ?, claim = 0", "state = ?", int16(to), micros(now), int16(from))
}
