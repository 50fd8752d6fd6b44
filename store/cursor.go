package store

// cursor is the position of a subscription in the chain of changes. The mutex of the chain
// guards it.
type cursor struct {
	mode   Mode           // never changes
	at     *link          // the last link that was returned; nil if off the chain
	left   *leftBacklog   // Latest: the pending changes while off the chain
	behind *foldedBacklog // EveryChange: the same
	lag    Lag
	onLag  func(Lag)
	onFull func(full bool)
	next   uint64 // position after the changes returned last, as link.seq
	taken  uint64 // position up to which the subscriber has acknowledged changes
}

// leftBacklog is the pending changes of a subscriber of Latest that has left the chain: the
// folded changes up to a snapshot, and then the difference from that snapshot.
type leftBacklog struct {
	changes []Change
	from    *Snapshot
}
