// Package chaos compares informers of client-go with ours on a real control plane while
// connections are cut, API servers are killed, etcd compacts its history and requests are
// refused. It has only tests.
package chaos
