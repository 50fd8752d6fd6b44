// Package record holds the recorder against a real control plane and real
// databases: recorders, API servers and databases are killed under load, networks are
// cut, rights are taken away, clusters are built anew, and what is in SQL is compared
// with what etcd has had.
//
// Its tests have flags: `go test ./record -kills=30 -jobs=500 -outage=30s` kills more
// often and for longer, and `-run TestSoak -soak=30m` looks for what grows.
package record
