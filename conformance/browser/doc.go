// Package browser shows pages of the portal in Chromium for tests, and checks them.
//
// # Data flow
//
//	New -> Browser.Tab -> Tab: Open, Click, Fill, Press -> Shows, Until, Finds, Fits, Accessible
//
// # Ownership
//
// A Browser belongs to one test, and ends with it.
//
// # Guarantees
//
// A test fails when its tab is closed if the page has thrown an exception, logged an error
// to the console, violated the content security policy, or sent a request to another host.
//
// # Limits
//
// Chromium must be installed; tools/setup.sh does that.
//
// # Errors
//
// A failed test logs the text of the page.
package browser
