// Package jobstatus decides the status of jobs when recorders write what it depends on.
//
// # Data flow
//
//	changed pods -> their places (job_parts) -> jobs -> lock their rows -> own statuses and first problems -> job.Status.WithPodsStatus -> jobs, feed
//
// # Ownership
//
// All functions work within the transaction of the caller, after its last change of objects and
// of the jobs of pods.
//
// # Guarantees
//
// The stored status of a job is that of its object and of all of its pods, as of the last
// committed transaction: a writer that changes one of them decides under the lock of the row of the
// job. Two transactions that change different pods wait for each other. Each transaction locks
// rows of objects first, and then rows of jobs in the order of their IDs.
//
// # Limits
//
// A decision reads one pod, and whether the job has pods of other classes, however many pods the
// job has.
//
// # Errors
//
// Those of the database. The caller must then roll the transaction back.
package jobstatus
