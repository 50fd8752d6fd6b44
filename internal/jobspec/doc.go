// Package jobspec reads what a job asks for from its fields: GPUs, pods, deadline, program.
//
// # Data flow
//
//	JSON, or the fields of a decoded object -> Object -> pod sets -> Spec
//
// A pod set is a number of equal pods. Each type of jobs has its own pod sets: the task groups
// of Volcano, the roles of Kubeflow, head and workers of Ray. Types without rules of their own
// have those of spec.template.
//
// # Ownership
//
// A Spec keeps the object that it was read from. Package state reads what a job does; this
// package reads what it was told to do.
//
// # Guarantees
//
// Objects come from users. Fields of wrong types, huge numbers and texts that are no JSON
// leave facts zero, and never fail. A fact that is not known is zero: nothing is guessed.
//
// # Limits
//
// Bodies over 4 MiB are not read. Numbers of GPUs and pods end at 1,000,000, and deadlines at
// 10 years. GPUs that a pod claims by dynamic resource allocation are not counted, nor are
// those that only the runtime of a TrainJob names. Of a workflow, the largest pod counts.
//
// # Errors
//
// There are none.
package jobspec
