// Package portal tests the pages of the portal in a browser, against a real control plane.
//
// # Data flow
//
//	control plane, stand-in of a kubelet -> vedette record -> database -> vedette portal -> Chromium
//	made-up world of portal/ui/fixture -> Chromium
//	what Kueue and Volcano wrote, words of the scheduler -> vedette record -> sentences of the portal
//
// # Ownership
//
// Each test owns its control plane, its processes and its browser, and ends them.
//
// # Guarantees
//
// Tests wait for conditions, and never for times; -portal.exact makes one measure them.
// the console, a violation of the policy of contents, or a request to another host.
//
// # Limits
//
// Chromium must be installed; tools/setup.sh does that. TestPages shows the made-up world of
// portal/ui/fixture, because it has every state, and needs axe-core, which
// `npm ci --prefix portal/ui` installs. -portal.screenshots=DIR keeps screenshots of all pages,
// and -portal.readme makes docs/images/portal-*.png.
//
// # Errors
//
// A process that does not start fails the test with the end of its log.
package portal
