// Package shown tests that the pages show what the API server has while many jobs change.
// `-portal.exact` checks how soon, on each database.
package shown
