// Package logs tests logs of jobs through a real API server. Its nodes are simulated by
// kwok, and their kubelets by package kubelet.
package logs
