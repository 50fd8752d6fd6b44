package submit

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/submit/manifest"
)

// Request asks for one job.
type Request struct {
	// Manifest is the job. Submit does not change it. A manifest without lines is fine:
	// its problems have none.
	Manifest *manifest.Manifest
	// Namespace is that of the job. A manifest that names another one is invalid. By
	// default it is the namespace of the manifest, else that of the client.
	Namespace string
	// User is the submitter; default that of the client.
	User string
	// Template is the name of the template that the manifest was made from, if any.
	Template string
	// Key identifies the request. Two requests of one submitter with one key and
	// namespace create one job. By default it is derived from submitter, namespace and manifest,
	// so a request that is repeated unchanged creates nothing. RandomKey returns a new one.
	Key string
	// Ordinal distinguishes equal manifests that are meant to become several jobs, such as
	// equal documents of a file: it is part of a derived key.
	Ordinal int
	// Again submits the job once more: under a random key, and under a new name that begins
	// with the name of the manifest. Key must be empty then.
	Again bool
	// DryRun has the server do everything but keep the job.
	DryRun bool
	// Hold submits the job suspended, and without its queue of Kueue. It waits until Release.
	// It is no part of a derived key. Types that cannot be suspended are invalid.
	Hold bool
	// Retry links the job to the one that it repeats.
	Retry *RetryOf
}

// RetryOf is the job that another one repeats.
type RetryOf struct {
	// UID and Name are of the job that is repeated.
	UID, Name string
	// Root is the UID of the first job of the chain.
	Root string
	// Attempt is the number of the new job in the chain, from 2.
	Attempt int
}

// Result is an accepted request.
type Result struct {
	// Object is the job as the server has it, or would have it after a dry run.
	Object   *unstructured.Unstructured
	Resource kube.Resource
	// Created is false if this request had been accepted before, and after a dry run.
	Created bool
	// Before reports that this request had been accepted before; Object is the job that it
	// created.
	Before bool
	// Key is the key of the request.
	Key string
	// Warnings are sentences of the server and of this package, for the submitter.
	Warnings []string
}

// Job returns the job of a result.
func (r Result) Job() Job { return JobOf(r.Resource, r.Object) }
