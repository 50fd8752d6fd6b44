package record

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
)

// Cursor is a place in a list, to go on from. It is opaque; "" is the begin. A cursor
// stays good whatever is written meanwhile, for the same filter and order.
type Cursor string

// ErrCursor is returned for a cursor that no page has returned.
var ErrCursor = errors.New("the cursor is none that a page has returned, or was for the other order")

// Paging says which part of a list is wanted. The zero value: the newest.
type Paging struct {
	// After is where the page before has ended.
	After Cursor
	// Limit is how many to return at most; default 100, and 1,000 at most.
	Limit int
	// OldestFirst turns the order around.
	OldestFirst bool
}

// Page is a part of a list.
//
// It may hold fewer than the limit, or none at all, and have a Next: the search has
// looked at as many rows as one request may, and goes on from there. A list is at its
// end when Next is "".
type Page[T any] struct {
	Items []T
	Next  Cursor
}

// limit returns how many are wanted.
func (p Paging) limit() int {
	if p.Limit <= 0 {
		return 100
	}
	return min(p.Limit, 1000)
}

// Walk returns all items of a list, page by page. It ends at the first error.
func Walk[T any](ctx context.Context, p Paging, list func(context.Context, Paging) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			page, err := list(ctx, p)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if p.After = page.Next; p.After == "" {
				return
			}
		}
	}
}

// position is a place in the order of time; of those at one time, of the numbers of
// their rows.
type position struct{ at, id int64 }

func (p position) before(q position) bool { return p.at < q.at || p.at == q.at && p.id < q.id }

const (
	newestFirst = 'n'
	oldestFirst = 'o'
)

// cursor returns the cursor of a position.
func (p Paging) cursor(at position) Cursor {
	order := newestFirst
	if p.OldestFirst {
		order = oldestFirst
	}
	return Cursor(base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%c%d.%d", order, at.at, at.id)))
}

// position returns where a page begins; begin tells that it is the first.
func (p Paging) position() (at position, begin bool, err error) {
	if p.After == "" {
		return at, true, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(p.After))
	if err != nil {
		return at, false, ErrCursor
	}
	var order rune
	if _, err := fmt.Sscanf(string(text), "%c%d.%d", &order, &at.at, &at.id); err != nil || (order == oldestFirst) != p.OldestFirst || p.cursor(at) != p.After {
		return at, false, ErrCursor
	}
	return at, false, nil
}
