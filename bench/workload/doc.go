// Package workload creates realistic objects and their changes from a seed: the same seed
// gives the same bytes.
//
// A Kind creates the i-th object of its sort. A Form is the encoding of bodies. A Churn
// defines the changed object of the k-th step, and how it changes. Objects that change
// are stamped: they have digits of fixed width, which the server replaces by the
// resourceVersion and the time of sending, so that it encodes nothing during a
// measurement.
package workload
