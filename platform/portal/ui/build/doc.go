// Command build creates the embedded pages of the portal from their sources.
//
//	npm ci --prefix platform/portal/ui
//	go run ./platform/portal/ui/build
//
// # Data flow
//
//	Go types of platform/portal/api -> src/api.ts
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
// All files together have at most 200 KB, each compressed by gzip.
//
// # Errors
//
// The command prints mistakes in the sources, with file and line, and exits with code 1,
// without writing anything.
package main
