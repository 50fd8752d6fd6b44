// Package submit creates each job once, finds jobs, cancels them and retries them.
//
// # Data flow
//
//	Request -> type, submitter -> stamp: namespace, name, key, labels, annotations
//	        -> dry run: all objections of the server, with their lines
//	        -> creation, repeated until the outcome is known -> Result
//	Find, Select -> Job
//	Cancel: job -> plan by type -> dry run -> mark (annotations) with suspension, or before deletion
//	Retry:  job -> copy without what others wrote -> changes -> Submit
//
// # Ownership
//
// Any number of goroutines may use a [Client]. Manifests are only read. Results belong to
// the caller. The package starts no goroutines.
//
// # Guarantees
//
// A request creates at most one job as long as that job exists, however often it is
// repeated: the name is written in the manifest or made from the key of the request, and
// the server takes each name once. A job of that name is taken for the job of the request
// only if its annotations have the key and the submitter of the request. Nothing is
// created before the server has agreed to a dry run. The annotation jobmeta.Submitter
// is the user of the client, whatever the manifest says; another claim is a warning.
//
// A cancelled job is marked with its first actor. A job that has ended is not cancelled. The
// mark and the suspension are one write; a mark whose deletion is refused is removed, or the
// error is an [UnfinishedError]. Equal retries of a job create one job, and attempts of a
// chain have different numbers as long as the jobs exist.
//
// A refusal for a missing right is a [DeniedError]; one for another reason, such as a
// quota, is an [InvalidError] with the words of the server.
//
// # Limits
//
// A request whose job was deleted creates another one. Two keys that have the same name by
// chance (1 in 10^14) are a [TakenError] for the second. Anybody who may change a job may
// change its annotations. A manifest has at most manifest.MaxObject bytes. A call takes at
// most Config.Patience, and a request within it Config.Attempt.
//
// A job is cancelled as its type demands, and the type is known by its group and kind. Kueue
// is recognized by the label of its queue and by managedBy; jobs that it manages without
// them are suspended, and it may resume them. A copy of a job that Kueue has admitted keeps the
// node selector and the tolerations of the flavor. The numbers of attempts whose jobs are
// gone are unknown without RetryOptions.Attempts.
//
// # Errors
//
// [FinishedError] and [NotFinishedError] say that a job has ended, or has not.
// [InvalidError] has all objections to a job. [TakenError], [UnsureError],
// [UnknownJobError] and [AmbiguousError] say what the server has. The texts of servers are
// unchanged in them: escape control characters before a terminal gets them. All other
// errors are those of package kube.
package submit
