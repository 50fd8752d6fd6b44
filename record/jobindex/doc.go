// Package jobindex keeps all jobs of a database in memory, so that lists, counts, suggestions
// and statistics with any filter, now or as of an instant, are scans of memory.
//
// # Data flow
//
//	objects, transitions, labels, bodies, gaps -> load -> index
//	feed -> IDs of objects -> read again -> index -> Changed
//	index -> View -> List, Count, Suggest, Each, During, Job
//
// # Ownership
//
// An Index belongs to whoever made it. Run is its only writer. Any goroutine may use its other
// methods. Rows belong to the caller, except for the labels and for the rows of Each.
//
// # Guarantees
//
// A view has everything up to its position in the feed, and may have more of single jobs.
// Corrected, late and withdrawn transitions end in what the database has, because each change
// reads the job again. Pages of a list, one after another, have every matching row whose key
// does not change meanwhile exactly once.
//
// # Limits
//
// Changes without a transition reach the index within a minute: labels, presence, and the
// removal of jobs by retention. GPUs, pods and priorities come from bodies, which are read after
// the jobs, the newest first. A job takes about 250 bytes, and more if it has labels of its own. A view holds changes
// up until it ends. At an instant in the past, reasons, priorities, queues and labels are those
// of now; the reason is missing if the job has changed its state since. The index has the 10,000
// newest open gaps.
//
// # Errors
//
// Run ends with its context only. It logs outages of the database and tries again; Stale tells
// about them.
package jobindex
