package submit

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// Request describes one job to create.
type Request struct {
	// Manifest is the job. Submit does not change it. Problems of a manifest without lines
	// have no lines.
	Manifest *manifest.Manifest
	// Namespace is the namespace of the job. A manifest with another namespace is invalid.
	// The default is the namespace of the manifest, else that of the client.
	Namespace string
	// User is the submitter; default the user of the client.
	User string
	// Template is the name of the template of the manifest, if any.
	Template string
	// Key identifies the request. Two requests of one submitter with the same key and
	// namespace create one job, as long as it exists. Without a key, each call of Submit is
	// a request of its own, with a random key. A caller that may have to repeat a call sets
	// a key, such as RandomKey().
	Key string
	// Again gives the job another name than the manifest: it begins with that name, and is
	// derived from the key.
	Again bool
	// DryRun makes the server do all checks without storing the job.
	DryRun bool
	// Hold submits the job suspended, and without its queue of Kueue. It waits until
	// Release. Types that cannot be suspended are invalid.
	Hold bool
	// Retry links the job to the job that it repeats.
	Retry *RetryOf
}

// RetryOf is the job that another one repeats.
type RetryOf struct {
	// UID and Name identify the job that is repeated.
	UID, Name string
	// Root is the UID of the first job of the chain.
	Root string
	// Attempt is the number of the new job in the chain, from 2.
	Attempt int
}

// Result is an accepted request.
type Result struct {
	// Object is the job on the server, or the result of a dry run.
	Object   *unstructured.Unstructured
	Resource kube.Resource
	// Created is false after a dry run, and if the request had already been accepted.
	Created bool
	// Before is set if the request had already been accepted; Object is the job that it
	// created.
	Before bool
	// Key is the key of the request.
	Key string
	// Warnings are messages of the server and of this package, for the submitter.
	Warnings []string
}

// Job returns the job of a result.
func (r Result) Job() Job { return JobOf(r.Resource, r.Object) }
