// Package jobindex keeps all jobs of a database in memory, so that lists, counts,
// suggestions and statistics with any filter, now or as of an instant, are scans of
// memory.
//
// # Data flow
//
//	objects, jobs, transitions, labels, gaps -> load -> index
//	feed -> IDs of objects -> read again -> index -> Changed
//	index -> View -> List, Count, Suggest, Each, During, Job
//
// # Ownership
//
// The caller of New owns the Index. Run is its only writer. Any goroutine may use its
// other methods. Rows belong to the caller, except for the labels and for the rows of
// Each.
//
// # Guarantees
//
// A view has all changes up to its position in the feed, and may have later changes of
// single jobs. Each change reads the job again, so corrected, late and withdrawn
// transitions lead to the content of the database. Successive pages of a list have every
// matching row whose key does not change in the meantime exactly once.
//
// # Limits
//
// Changes without a transition reach the index within a minute: labels, presence, and the
// removal of jobs by retention. A job takes about 250 bytes, and more if it has unique
// labels. Changes wait until a view ends. At an instant in the past, reasons, priorities,
// queues and labels are the current ones; the reason is missing if the job has changed its
// state since. The index has the 10,000 newest open gaps.
//
// # Errors
//
// Run ends only with its context. It logs outages of the database and retries; Stale
// reports them.
package jobindex
