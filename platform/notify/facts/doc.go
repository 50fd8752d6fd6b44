// Package facts reads the facts about a job from the history, for the messages about it.
//
// # Data flow
//
//	notice with a version -> body of the job -> GPUs, attempts, deadline
//	                      -> transitions     -> waited, ran, attempts
//	                      -> gaps            -> life strip
//	                      -> pods of the job -> cause: pod, node, exit code, limit; nodes
//
// The pods of a job are those that history.History.PodsOf finds, as for the portal's page. They
// are available only if pods are recorded too.
// Package job decides which of them is the cause of an attempt's failure.
//
// # Ownership
//
// A Reader has no state between two calls, and any goroutine may use it. Fill changes only
// its notice, and only fields that are zero.
//
// # Guarantees
//
// Objects come from users. Fields of wrong types, huge annotations and bodies that are not
// JSON leave facts unknown, and never fail a message. An unknown fact stays empty: Fill
// does not guess.
//
// # Limits
//
// A notice reads one body of the job, 200 transitions, 1,000 index entries of pods, and 24
// bodies of pods of the last five attempts. A strip shows 20 gaps. The strip and the waiting time need all
// transitions. The nodes of jobs with more than 24 pods stay unknown, and so do quota and
// place in line.
//
// # Errors
//
// Errors come from the database only. A notice is valid after an error, and has the facts
// that were read before.
package facts
