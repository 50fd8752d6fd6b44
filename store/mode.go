package store

// Mode determines which changes a subscriber gets, and what happens when it lags.
type Mode uint8

const (
	// EveryChange delivers each change, once and in order. A subscriber that lags by more
	// than the backlog does not block the store. Until it has caught up, it gets one
	// change per object with the number of folded changes (Change.Folded), and one for
	// each object that came and went (Change.CameAndWent). Subscription.Lag counts these
	// episodes.
	EveryChange Mode = iota
	// Latest delivers the difference from the state that the subscriber received last. It
	// folds several changes of one object into one, and omits an object that came and
	// went. A subscriber that lags does not block the store. It costs the backlog, and then
	// at most the difference between two snapshots.
	Latest
	// Lossless delivers each change, once and in order, at any cost. When a subscriber
	// lags by the backlog, Apply waits, and so does the reader of the server.
	Lossless
)

// String returns the name of the mode.
func (m Mode) String() string {
	switch m {
	case EveryChange:
		return "EveryChange"
	case Latest:
		return "Latest"
	case Lossless:
		return "Lossless"
	}
	return "Mode(?)"
}
