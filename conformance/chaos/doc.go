// Package chaos holds informers of client-go and ours side by side against a real control
// plane while connections are cut, API servers die, etcd forgets its history and requests
// are refused. It has only tests.
package chaos
