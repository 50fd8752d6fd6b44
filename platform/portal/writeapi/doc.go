// Package writeapi has the operations of the JSON API that write: jobs are submitted, stopped
// and retried, messages acknowledged, muted and sent again, and subscriptions made.
//
// # Data flow
//
//	request with a job -> may the person create any job? -> its body is read
//	request -> sight of the person -> audit "attempt" -> right -> the act -> audit result -> answer
//	YAML, or template and values -> package submit in the name of the person -> API server
//
// # Ownership
//
// Register keeps its configuration. Any number of requests run at once. The package starts no
// goroutines.
//
// # Guarantees
//
// Each write has a row in the audit before it happens, and the row gets the result afterwards,
// also for refusals by the API server. A job of a person who may create nothing is refused before it
// is read, and has no row. A request about a job that the person does not see is
// answered as if the job did not exist.
//
// Jobs are created, stopped and retried with requests that impersonate the person, so the API
// server refuses what the person may not do. The right to create is also reviewed before the job is
// created or checked by a dry run: the answer has the missing role, and admission runs for nobody
// without the right. Only the types of jobs can be submitted. A request
// with a key creates one job, however often it is repeated. A job that may hold GPUs is
// stopped only if the request has its name.
//
// Dead letters are for people who see all namespaces, or who belong to the operators. Messages
// about a job can be acknowledged and sent again by its owner, or by a person who may patch the
// job. A subscription requires that the person sees the jobs; an address that is not theirs in
// the table of people must be confirmed by a code.
//
// # Limits
//
// A request has at most 64 KiB, or 2 MiB with a job, and one job. A person can request five
// codes and test messages in ten minutes. A message is sent again at most once a minute.
// The loss of a right does not end a subscription.
//
// # Errors
//
// Errors are problem documents, see api.Problem. Mistakes in a job have their field, line and
// parameter, and the value that repairs them if there is exactly one.
package writeapi
