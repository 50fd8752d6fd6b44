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
)

var sources = [...]string{"", "watch", "list", "relist", "inferred"}

// String returns "watch", "list", "relist" or "inferred".
func (s Source) String() string {
	if int(s) < len(sources) {
		return sources[s]
	}
	return "unknown"
}
