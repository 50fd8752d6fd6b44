// Package e2e runs the program vedette against a real control plane, and compares its
// output with an independent watch. It has only tests.
package e2e
