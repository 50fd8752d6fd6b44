// Package ui has the pages of the portal, embedded.
//
// # Data flow
//
//	platform/portal/api, src, node_modules -> platform/portal/ui/build -> dist -> embedded -> Pages -> browser
//	browser: URL -> page -> core/client -> JSON API
//	browser: SharedWorker (one stream for all tabs) -> core/live -> rows and counts
//
// The sources are TypeScript with Preact, in src: core (URL, requests, stream, keys), design
// (tokens, components, life strips), words (English and Chinese), shell (navigation, palette),
// pages (a folder for each page, loaded when it is first shown).
//
// # Ownership
//
// The files belong to the program. [Pages] keeps each file uncompressed and compressed.
//
// # Guarantees
//
// `make ui` proves that the sources produce dist, and that the types check. No page has an
// inline script, an inline style or an address outside the portal, so [Policy] can forbid them.
// Assets have names that change with their content, so browsers keep them for a year.
//
// # Limits
//
// All files together have at most 200 KB, compressed. The pages need a browser with
// modules, color-mix and SharedWorker; without SharedWorker every tab has its own stream.
//
// # Errors
//
// [New] fails if dist is damaged. A path without a page gets the pages with status 404, and
// they show that.
package ui
