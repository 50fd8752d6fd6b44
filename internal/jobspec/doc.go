// Package jobspec reads the requested resources of a job from its fields: GPUs, pods,
// deadline, program.
//
// # Data flow
//
//	JSON, or the fields of a decoded object -> Object -> pod sets -> Spec
//
// A pod set is a number of equal pods. Each type of jobs has its own pod sets: the task
// groups of Volcano, the roles of Kubeflow, head and workers of Ray. All other types use
// spec.template.
//
// # Ownership
//
// A Spec keeps a reference to its object. Package state reads the status of a job; this
// package reads mostly its specification.
//
// # Guarantees
//
// Objects come from users. Fields of wrong types, huge numbers and invalid JSON leave
// facts zero, and never fail. An unknown fact is zero: the package does not guess.
//
// # Limits
//
// Bodies over 4 MiB are not read. Numbers of GPUs and pods are limited to 1,000,000, and
// deadlines to 10 years. GPUs that a pod claims by dynamic resource allocation are not
// counted, and neither are GPUs that only the runtime of a TrainJob requests. For a
// workflow, only the largest pod is counted.
//
// # Errors
//
// None.
package jobspec
