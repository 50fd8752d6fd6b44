package feed

import "errors"

var (
	// ErrExpired is returned for a position whose successors retention has deleted, and for
	// a cursor that was idle for too long. The history may still have these transitions.
	ErrExpired = errors.New("the position has expired")
	// ErrAhead is returned for a position that was never assigned. The database may be an
	// older copy of the one that the position is from.
	ErrAhead = errors.New("the position is beyond the end of the feed")
	// ErrNoCursor is returned for a cursor that does not exist, and by Consumer.Run if its
	// cursor was removed meanwhile.
	ErrNoCursor = errors.New("the cursor does not exist")
)

// errOvertaken rolls a transaction back whose rows another one has changed first.
var errOvertaken = errors.New("another process was first")

// errOr returns the first error if it is not nil, and the second otherwise.
func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
