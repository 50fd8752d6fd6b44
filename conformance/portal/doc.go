// Package portal tests the pages of the portal in a browser, against a real control plane.
//
// # Data flow
//
//	control plane, simulated kubelet -> vedette record -> database -> vedette portal -> Chromium
//	sample data of portal/ui/fixture -> Chromium
//	objects of Kueue and Volcano, messages of the scheduler -> vedette record -> sentences of the portal
//
// # Ownership
//
// Each test owns its control plane, its processes and its browser, and ends them.
//
// # Guarantees
//
// Tests wait for conditions, and never for a fixed time; with -portal.exact one of them
// measures times. A test fails if a page throws an exception, logs an error to the
// console, violates the content security policy, or sends a request to another host.
//
// # Limits
//
// Chromium must be installed; tools/setup.sh does that. TestPages shows the sample data of
// portal/ui/fixture, because it has every state, and needs axe-core, which `npm ci --prefix
// portal/ui` installs. -portal.screenshots=DIR saves screenshots of all pages, and
// -portal.readme creates docs/images/portal-*.png.
//
// # Errors
//
// A process that does not start fails the test with the end of its log.
package portal
