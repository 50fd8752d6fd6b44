// Package logs reads the logs of jobs through a real API server, whose nodes kwok pretends
// and whose kubelets package kubelet stands in for.
package logs
