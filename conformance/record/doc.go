// Package record holds the recorder against a real control plane and real
// databases: recorders are killed under load, and what is in SQL is compared with
// what a raw watch has seen.
package record
