// Package portal is the server of the portal: pages and the JSON API over the database of a
// recorder.
//
// # Data flow
//
//	database -> jobindex -> relay (details of rows) -> livestream -> browsers
//	request  -> web.Guard -> identity -> throttle -> readapi, writeapi, pages
//
// # Ownership
//
// The caller opens and closes the database and the clusters. Run and Serve join all
// goroutines before they return.
//
// # Guarantees
//
// Nothing listens beyond the loopback address unless something gives people a way to sign in. Until
// the index has read the history, the API answers with problems of the type loading, and
// /readyz with 503. A row reaches browsers after the index has it, with its details unless the
// database takes too long for them.
//
// # Limits
//
// The memory is that of the index and of the log of changes, see their packages. A
// person may send 50 requests a second, and 250 at once. The relay keeps at most 20,000
// changes; beyond, each browser loads everything again.
//
// # Errors
//
// New returns what is wrong with the configuration. Outages of the database and of API
// servers end nothing.
package portal
