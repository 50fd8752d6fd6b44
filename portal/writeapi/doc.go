// Package writeapi has the operations of the JSON API that write: jobs are submitted, stopped
// and retried, messages acknowledged, muted and sent again, and subscriptions made.
//
// # Data flow
//
//	request -> what the person sees -> audit "attempt" -> right -> the act -> audit result -> answer
//	YAML, or template and values -> package submit in the name of the person -> API server
//
// # Ownership
//
// Register keeps its configuration. Any number of requests run at once. The package starts no
// goroutines.
//
// # Guarantees
//
// Each write has a row in the audit before it is done, and the row says afterwards what came of
// it. Refusals by the API server are among them. A request for a job that the person does not
// see is answered as if the job did not exist.
//
// Jobs are created, stopped and retried with requests that impersonate the person, so the API
// server refuses what the person may not do. The right to create is also reviewed before, so
// that the answer has the role that is missing. Only the types of jobs can be submitted.
// A request with a key creates one job, however often it is repeated. A job that may hold
// GPUs is stopped only if the request has its name.
//
// Dead letters are for persons who see all namespaces, or who belong to the operators. Messages
// about a job are acknowledged and sent again by its owner, or by somebody who may patch it. A
// subscription needs that the person sees the jobs, and an address that is not theirs in the
// table of people gets a code first.
//
// # Limits
//
// A request has 64 KiB, or 2 MiB with a job, and one job. A person has the portal send five
// codes and test messages in ten minutes. A message is sent again at most once a minute. A
// right that is lost does not end a subscription.
//
// # Errors
//
// Errors are problem documents, see api.Problem. Mistakes in a job have their field, line and
// parameter, and the value that repairs them if there is exactly one.
package writeapi
