package delivery

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// subscriptionsMark is the mark with the changes of subscriptions.
const subscriptionsMark = "subscriptions"

// mostChanges is the maximum number of changes that the mark lists.
const mostChanges = 1000

// SubscriptionChanges are the changes of subscriptions so far. Transactions that change
// subscriptions exclude each other, so changes have the order in which they are committed: a
// reader that has seen a count has seen all changes before it.
type SubscriptionChanges struct {
	// Count is the number of all changes.
	Count int64
	last  []int64 // the subscriptions of the last changes, oldest first
}

// ReadSubscriptionChanges returns the changes so far. Read subscriptions after it: they may
// have further changes, which the next call returns.
//
// Errors: those of the database.
func ReadSubscriptionChanges(ctx context.Context, q sqldb.Querier) (SubscriptionChanges, error) {
	text, err := Mark(ctx, q, subscriptionsMark)
	return parseChanges(text), err
}

// Since returns the IDs of the subscriptions that have changed since a count, each once. It
// returns false if there were too many changes to list: then all subscriptions may have changed.
func (c SubscriptionChanges) Since(count int64) (ids []int64, ok bool) {
	n := c.Count - count
	if n < 0 || n > int64(len(c.last)) {
		return nil, false
	}
	ids = slices.Clone(c.last[int64(len(c.last))-n:])
	slices.Sort(ids)
	return slices.Compact(ids), true
}

// parseChanges parses the content of the mark. A damaged mark has no changes.
func parseChanges(text string) (c SubscriptionChanges) {
	count, last, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return c
	}
	c.Count = n
	for word := range strings.FieldsSeq(last) {
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return SubscriptionChanges{Count: n}
		}
		c.last = append(c.last, id)
	}
	return c
}

// String returns the content of the mark.
func (c SubscriptionChanges) String() string {
	text := []byte(strconv.FormatInt(c.Count, 10))
	for _, id := range c.last {
		text = strconv.AppendInt(append(text, ' '), id, 10)
	}
	return string(text)
}

// lockSubscriptions makes the transaction exclude others that change subscriptions until it
// ends. Call it before the first read.
//
// Errors: those of the database.
func lockSubscriptions(ctx context.Context, tx *sqldb.Tx) (c SubscriptionChanges, err error) {
	var text string
	read := func() error {
		return tx.QueryRow(ctx, "SELECT content FROM notify_marks WHERE name = ?"+tx.ForUpdate(), subscriptionsMark).Scan(&text)
	}
	if err = read(); errors.Is(err, sql.ErrNoRows) {
		if err = tx.InsertNew(ctx, "notify_marks", []string{"name", "content"}, [][]any{{subscriptionsMark, c.String()}}, "name"); err == nil {
			err = read()
		}
	}
	return parseChanges(text), err
}

// write stores the changes with those of some subscriptions.
func (c SubscriptionChanges) write(ctx context.Context, tx *sqldb.Tx, ids ...int64) error {
	c.Count += int64(len(ids))
	c.last = append(c.last, ids...)
	c.last = c.last[max(0, len(c.last)-mostChanges):]
	return SetMark(ctx, tx, subscriptionsMark, c.String())
}
