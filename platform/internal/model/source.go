package model

// Source is the way in which a revision became known. The database stores its number.
type Source uint8

const (
	// Watched revisions came from an event of a watch.
	Watched Source = iota + 1
	// Listed revisions came from the first list of a scope.
	Listed
	// Relisted revisions came from a list after a gap. Changes within the gap are unknown.
	Relisted
	// Inferred revisions follow from other observations. Their time is the time of the
	// inference.
	Inferred
	// Reshown revisions came from a list that showed other content at a version that is
	// stored: the schema or the server has changed, and the object has not. Their version is
	// one at which the list was taken.
	Reshown
)

var sources = [...]string{"", "watch", "list", "relist", "inferred", "reshown"}

// String returns "watch", "list", "relist", "inferred" or "reshown".
func (s Source) String() string {
	if int(s) < len(sources) {
		return sources[s]
	}
	return "unknown"
}
