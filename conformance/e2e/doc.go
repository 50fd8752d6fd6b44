// Package e2e runs the program vedette against a real control plane, and holds
// what it printed against an independent watch. It has only tests.
package e2e
