package model

// Source says how a revision became known. The database stores its number.
type Source uint8

const (
	// Watched revisions came as an event of a watch.
	Watched Source = iota + 1
	// Listed revisions came in the first list of a scope.
	Listed
	// Relisted revisions came in a list after a gap. Changes within the gap are not known.
	Relisted
	// Inferred revisions follow from something else. Their time is that of the conclusion.
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
