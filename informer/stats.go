package informer

import "github.com/vedette-io/vedette/store"

// Stats has the counters of an informer, and the size of its data.
type Stats struct {
	store.Stats
	// Decodes counts the decoded objects of all users that share the informer.
	Decodes uint64
	// Queued is the number of deltas that wait for the store, and QueuedBytes is their
	// size.
	Queued, QueuedBytes int
}

// Stats returns the counters.
func (i *Informer[T]) Stats() Stats { return i.engine.stats() }

func (e *engine) stats() Stats {
	st := Stats{Stats: e.store.Stats(), Decodes: e.decodes.Load()}
	st.Queued, st.QueuedBytes = e.queue.Len()
	return st
}
