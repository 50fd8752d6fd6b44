// Package submit creates each job once, finds jobs, cancels them and retries them.
//
// # Data flow
//
//	Request -> type, submitter -> stamp: namespace, name, key, labels, annotations
//	        -> dry run: all objections of the server, with their lines
//	        -> creation, repeated until the outcome is known -> Result
//	Find, Select -> Job
//	Cancel: job -> plan by type -> dry run -> mark (annotations) with suspension, or before deletion
//	Retry:  job -> copy without the fields that others wrote -> changes -> Submit
//
// # Ownership
//
// Any number of goroutines may use a [Client]. Manifests are only read. Results belong to
// the caller. The package starts no goroutines.
//
// # Guarantees
//
// A request creates at most one job as long as that job exists, even if the request is
// repeated with its key. Without a key, each call is a request of its own. The name is in
// the manifest or derived from the key of the request, and the server accepts each name
// once. An existing job counts as the job of the request only if
// its annotations have the request's key and submitter. Nothing is created before a dry
// run succeeded. The annotation job.SubmitterAnnotation is the user of the client, whatever the
// manifest claims; another claim gives a warning.
//
// A cancelled job is marked with its first actor. A job that has ended is not cancelled.
// The mark and the suspension are one write. If a deletion is refused, its mark is
// removed, or the error is an [UnfinishedError]. Retries with one key create one job.
// Attempts of a chain have different numbers as long as the jobs exist.
//
// A refusal for a missing right is a [DeniedError]. A refusal for another reason, such as
// a quota, is an [InvalidError] with the text of the server.
//
// # Limits
//
// A request whose job was deleted creates another one. If two keys yield the same name by
// chance (1 in 10^14), the second request gets a [TakenError]. Anybody who may change a
// job may change its annotations. A manifest has at most manifest.MaxObject bytes. A call
// takes at most Config.Patience, and a request within it Config.Attempt.
//
// Group and kind of a job determine how it is cancelled. Kueue is recognized by the label
// of its queue and by managedBy; jobs that it manages without them are suspended, and it
// may resume them. A copy of a job that Kueue has admitted keeps the node selector and the
// tolerations of the flavor. The numbers of attempts whose jobs are deleted are unknown
// without RetryOptions.Attempts.
//
// # Errors
//
// [FinishedError] and [NotFinishedError] report that a job has ended, or has not.
// [InvalidError] has all objections to a job. [TakenError], [UnsureError],
// [UnknownJobError] and [AmbiguousError] describe the state of the server. They contain
// unchanged texts of servers: escape control characters before you write them to a
// terminal. All other errors are those of package kube.
package submit
