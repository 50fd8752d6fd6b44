// Package recordtest tests that a database works for the recorder. The drivers of package
// sqldb pass, and a driver for any other database must.
//
// A test of a driver opens an empty database for each call:
//
//	func TestDriver(t *testing.T) {
//		recordtest.Run(t, func(t *testing.T) *sqldb.DB {
//			db, err := sqldb.OpenWith(t.Context(), cockroach.Driver(), emptyDatabase(t))
//			if err != nil {
//				t.Fatal(err)
//			}
//			return db
//		})
//	}
//
//	func TestSecrets(t *testing.T) {
//		recordtest.RunSecrets(t, cockroach.Driver(), "cockroach://user:hunter2@127.0.0.1:1/history?sslmode=disable", "hunter2")
//	}
//
// # Data flow
//
// A driver under test -> sqldb -> record, platform/history, platform/retention.
//
// # Ownership
//
// Run owns each database that it gets, and closes it. Tests run one after another.
//
// # Guarantees
//
// A driver that passes keeps the rows, locks and errors that the packages above sqldb
// rely on, for one process that uses a database.
//
// # Limits
//
// Run takes about half a minute with a server of this machine. It does not test TLS,
// outages, or upgrades from an earlier version; conformance/record and this package's own
// tests do so for the drivers of package sqldb.
//
// # Errors
//
// Failures are failures of the test that calls Run.
package recordtest
