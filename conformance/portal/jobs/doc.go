// Package jobs tests the pages of the portal in a browser, with jobs of a real control plane whose
// nodes are simulated.
package jobs
