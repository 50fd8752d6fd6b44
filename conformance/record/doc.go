// Package record tests the recorder with a real control plane and real databases:
// recorders, API servers and databases are killed under load, networks are cut, rights
// are revoked, and clusters are replaced. The tests compare the contents of the database
// with the history of etcd.
//
// Its tests have flags: `go test ./record -kills=30 -jobs=500 -outage=30s` kills more
// often and for longer, and `-run TestSoak -soak=30m` looks for leaks.
package record
