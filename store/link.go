package store

// link is one link of the chain of changes. A subscription refers to the link that it has
// reached, so the garbage collector frees the links that all subscriptions have passed.
// The last link has no changes yet, so a store whose subscribers are up to date holds
// none.
type link struct {
	seq     uint64        // number of changes before this link
	changes []Change      // the changes between this link and next
	next    *link         // set before more is closed
	more    chan struct{} // closed when next is set; nil until a subscriber waits
}
