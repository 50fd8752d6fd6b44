// Package clients tests the clients of package kube against a real control plane. It has
// only tests.
package clients
