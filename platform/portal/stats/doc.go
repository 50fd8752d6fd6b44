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
// A Reader caches the counts of at most 1,000 ended gaps and 500,000 ends of pods. Answers belong
// to the caller.
//
// # Guarantees
//
// Sums are consistent: the buckets of a period add up to its outcomes and GPU hours, its owners and
// queues to the ended jobs, and its causes to the failures. The bars of an overview equal the
// counts of the list as of the beginning of each bar. Percentiles are exact. The pages of a
// timeline contain each job once, in order, if the jobs do not change meanwhile. All answers apply
// the filter, the instant and the rights of the query.
//
// # Limits
//
// A window has at most 100 buckets, an overview 500 bars, a page of a timeline 2,000 rows. An
// answer lists at most 100 owners and the sum of the rest, 200 queues and 200 gaps. A request
// counts the transitions after at most 10 gaps; the others have -1 until a later request. A request
// reads about 20,000 ends of pods, the newest hours first; the next request continues.
// Period.PodsFrom is the time from which pods are counted, if that is not the whole period. An end
// that was recorded late counts when its hour is read again: an hour, 6 hours, a day and a week
// later. A scan holds the read lock of the index.
//
// # Errors
//
// ErrCursor, ErrOrder and ErrWindow report invalid arguments. Other errors come from the index and
// the database.
package stats
