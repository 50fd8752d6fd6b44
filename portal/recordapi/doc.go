// Package recordapi answers the requests of the command line: objects of all recorded types,
// their transitions, revisions, gaps and statistics.
//
// # Data flow
//
//	request -> who asks -> history query -> what the person may see -> JSON of portal/api
//
// # Ownership
//
// The caller closes the database after the last request.
//
// # Guarantees
//
// A person gets jobs of the namespaces of their sight. Objects of other types need the right to
// list them: where rights are not configured, everybody has it. An object that may not be seen
// is answered like none. No data of Secrets leaves.
//
// # Limits
//
// A list that a person may see in part is filtered after it is read, so its pages are short,
// and a request reads at most maxPages pages. Statistics are not filtered: the person has to
// name a namespace that they may see.
//
// # Errors
//
// Errors are problem documents, as those of package readapi.
package recordapi
