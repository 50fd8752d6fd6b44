package history

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// Cursor is a position in a list. It is opaque; the empty cursor is the beginning. A cursor
// is valid for the filter and the order of the page that returned it, and stays valid while
// the history changes.
type Cursor string

// ErrCursor is returned for a cursor that did not come from a page of the same list in the
// same order.
var ErrCursor = errors.New("the cursor does not belong to a list in this order")

// Order is the direction of a list.
type Order uint8

const (
	// NewestFirst begins with the latest item.
	NewestFirst Order = iota
	// OldestFirst begins with the earliest item.
	OldestFirst
)

// Limits of the size of a page.
const (
	maxLimit     = 1000
	defaultLimit = 100
)

// Paging selects a page of a list. The zero value is the first page, the newest items first.
type Paging struct {
	// After is the cursor of the previous page.
	After Cursor
	// Limit is the maximum number of items. Default: 100. Maximum: 1,000.
	Limit int
	// Order is the direction of the list.
	Order Order
}

// Page is a part of a list.
//
// A page can have fewer items than the limit, or none, and still have a Next cursor,
// because one request reads a limited number of rows. The list ends where Next is empty.
type Page[T any] struct {
	Items []T
	Next  Cursor
}

// All returns the items of a list, page by page. It stops at the first error.
func All[T any](ctx context.Context, p Paging, list func(context.Context, Paging) (Page[T], error)) iter.Seq2[T, error] {
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

// limit returns the maximum number of items of the page.
func (p Paging) limit() int {
	if p.Limit <= 0 {
		return defaultLimit
	}
	return min(p.Limit, maxLimit)
}

// orderLetters represent the orders in cursors.
var orderLetters = map[Order]rune{NewestFirst: 'n', OldestFirst: 'o'}

// cursor returns the cursor for a position.
func (p Paging) cursor(at model.Position) Cursor {
	return Cursor(base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%c%d.%d", orderLetters[p.Order], at.At, at.ID)))
}

// position returns the position that precedes the page. first is true for the first page,
// which has no such position.
func (p Paging) position() (at model.Position, first bool, err error) {
	if p.After == "" {
		return at, true, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(p.After))
	if err != nil {
		return at, false, ErrCursor
	}
	var letter rune
	if _, err := fmt.Sscanf(string(text), "%c%d.%d", &letter, &at.At, &at.ID); err != nil || p.cursor(at) != p.After {
		return at, false, ErrCursor
	}
	return at, false, nil
}
