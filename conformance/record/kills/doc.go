// Package kills tests that nothing is lost when recorders, API servers and databases are killed under
// load, and networks are cut. `go test ./record/kills -kills=30 -jobs=500 -outage=30s` kills
// more often and for longer.
package kills
