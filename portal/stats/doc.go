// Package stats computes timelines, overviews and statistics of jobs.
//
// # Data flow
//
//	index of jobs -> one scan of the jobs of a window -> rows, bars, sums -> api.Timeline, api.Overview, api.Stats
//	open gaps of the index, transitions that a list after them showed     -> api.Gap
//	transitions of pods that ended, their bodies -> ends of pods by the hour -> causes, nodes
//
// # Ownership
//
// A Reader keeps the counts of gaps that ended, at most 1,000, and 500,000 ends of pods. Answers
// belong to the caller.
//
// # Guarantees
//
// Numbers add up. The buckets of a period add up to its outcomes and GPU hours, its owners and
// queues to the jobs that ended, and its causes to the failures. The bars of an overview agree
// with the counts of the list as of their beginnings. Percentiles are exact. The pages of a timeline
// contain each job once, in order, if the jobs do not change meanwhile. Everything obeys the
// filter, the instant and the rights of the query.
//
// # Limits
//
// A window has at most 100 buckets, an overview 500 bars, a page of a timeline 2,000 rows. An
// answer names at most 100 owners, and sums up the rest; it names 200 queues and 200 gaps. A
// request counts the transitions after at most 10 gaps; the others have -1 until a later
// request. A request reads about 20,000 ends of pods, the newest hours first, and the next one
// continues. Period.PodsFrom says since when pods are counted, if that is not the whole period. An
// end that was recorded late counts when its hour is read again: an hour, 6 hours, a day and a
// week after it. A scan holds the read lock of the index.
//
// # Errors
//
// ErrCursor, ErrOrder and ErrWindow report mistakes of the caller. Others come from the index
// and the database.
package stats
