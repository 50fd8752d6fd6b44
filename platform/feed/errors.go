package feed

import "errors"

var (
	// ErrExpired is returned for a position if retention has deleted transitions after it,
	// and for a cursor that was idle for too long. The history may still have these
	// transitions.
	ErrExpired = errors.New("the position has expired")
	// ErrAhead is returned for a position that was never assigned. The database may have
	// been restored from a backup that is older than the position.
	ErrAhead = errors.New("the position is beyond the end of the feed")
	// ErrNoCursor is returned for a cursor that does not exist, and by Consumer.Run if its
	// cursor was removed.
	ErrNoCursor = errors.New("the cursor does not exist")
	// ErrDivided is returned by Consumer.Run for a cursor with several partitions.
	ErrDivided = errors.New("the cursor is divided into partitions")
)

// errOvertaken rolls a transaction back because another process has changed the same rows
// first.
var errOvertaken = errors.New("another process was first")

// errOr returns err if it is not nil, and other otherwise.
func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
