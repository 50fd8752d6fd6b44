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
// The portal listens on an address other than loopback only if sign-in is configured. Until the
// index has read the history, the API answers with problems of the type loading, and /readyz with
// 503. A row reaches browsers after the index has it. It lacks its details if the database takes
// too long.
//
// # Limits
//
// Most memory belongs to the index and the log of changes, see their packages. A person may send 50
// requests a second, with bursts of 250. The relay keeps at most 20,000 changes; beyond that, each
// browser loads everything again.
//
// # Errors
//
// New returns errors of the configuration. The portal continues during outages of the database and
// of API servers.
package portal
