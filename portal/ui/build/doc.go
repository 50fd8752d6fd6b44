// Command build writes the pages of the portal, as they are embedded, from their sources.
//
//	npm ci --prefix portal/ui
//	go run ./portal/ui/build
//
// # Data flow
//
//	Go types of portal/api -> src/api.ts
//	src/*.ts, src/*.css, node_modules -> esbuild -> dist/assets, with names that hold hashes
//	dist/assets -> dist/index.html, dist/manifest.json
//
// # Ownership
//
// The command owns src/api.ts and the folder dist, and replaces both.
//
// # Guarantees
//
// The same sources and the same modules give the same bytes. No page has an inline script, an
// inline style or an address outside the portal.
//
// # Limits
//
// Everything together takes at most 200 KB, each file compressed by gzip.
//
// # Errors
//
// The command prints what is wrong in the sources, with file and line, and ends with 1. It
// writes nothing then.
package main
