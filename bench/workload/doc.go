// Package workload makes objects as a cluster has them, and what happens to
// them, from a seed: the same seed gives the same bytes.
//
// A Kind makes the i-th object of its sort. A Form is how bodies are encoded. A
// Churn says which object changes at the k-th step, and how. Objects that change
// are stamped: they have digits of fixed width where the server writes the
// resourceVersion and the time when it sends them, so that it encodes nothing
// while a client is measured.
package workload
