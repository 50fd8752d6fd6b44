// Package joblist lists jobs of a cluster or of a history, and lays them out for a terminal.
package joblist
