// Package recordapi answers the requests of the command line: objects of all recorded types,
// their transitions, revisions, gaps and statistics.
//
// # Data flow
//
//	request -> person -> history query -> items that the person may see -> JSON of platform/portal/api
//
// # Ownership
//
// The caller closes the database after the last request.
//
// # Guarantees
//
// A person gets jobs of the namespaces of their sight. Objects of other types need the right to
// list them; without configured rights, everybody has it. An object that may not be seen is
// answered as if it did not exist. No data of Secrets leaves the portal.
//
// # Limits
//
// Lists are filtered after reading. For a person who does not see all jobs, a request reads
// until the page is full, or until it has read about maxRead records: then the page is short
// and has a cursor. A request makes at most maxReviews access reviews, and shows nothing of
// further namespaces. Statistics are not filtered: the person must name a namespace that they
// may see.
//
// # Errors
//
// Errors are problem documents, as in package readapi.
package recordapi
