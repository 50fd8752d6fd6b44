package store

// cursor is the position of a subscription in the chain of changes. The mutex of the chain
// guards it.
type cursor struct {
	mode   Mode           // never changes
	at     *link          // the last link that was returned; nil if off the chain
	seen   *Snapshot      // Latest: the snapshot after the changes delivered so far
	behind *foldedBacklog // EveryChange: pending changes while off the chain
	lag    Lag
	onLag  func(Lag)
	next   uint64 // position after the changes returned last, as link.seq
	taken  uint64 // position up to which the subscriber has acknowledged changes
}
