package wire

// EventType is the type of a watch event.
type EventType uint8

// The types of watch events, as the API names them.
const (
	Added EventType = iota + 1
	Modified
	Deleted
	// Bookmark has only a version: all events up to it have been sent.
	Bookmark
	// Error ends a watch. It has a Status.
	Error
)

// String returns the type in the form of the API: "ADDED", "MODIFIED", ….
func (t EventType) String() string {
	switch t {
	case Added:
		return "ADDED"
	case Modified:
		return "MODIFIED"
	case Deleted:
		return "DELETED"
	case Bookmark:
		return "BOOKMARK"
	case Error:
		return "ERROR"
	}
	return "unknown"
}

func eventType(name []byte) (EventType, bool) {
	switch string(name) {
	case "ADDED":
		return Added, true
	case "MODIFIED":
		return Modified, true
	case "DELETED":
		return Deleted, true
	case "BOOKMARK":
		return Bookmark, true
	case "ERROR":
		return Error, true
	}
	return 0, false
}
