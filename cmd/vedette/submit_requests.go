package main

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/submit"
)

// requests returns a request for each job, with a key of its own.
func (o *submitOptions) requests(jobs []sourced) []submit.Request {
	o.takeKey()
	requests := make([]submit.Request, len(jobs))
	for i, j := range jobs {
		requests[i] = submit.Request{Manifest: j.manifest, Namespace: o.namespace, Template: j.template, Key: o.key, Again: o.again, Hold: o.hold}
		if i > 0 {
			requests[i].Key = fmt.Sprintf("%s#%d", o.key, i+1)
		}
	}
	return requests
}

// takeKey gives the command a random key if it has none. All its requests and their
// repetitions have it, and errors after which a job may exist name it.
func (o *submitOptions) takeKey() {
	if o.key == "" {
		o.key = submit.RandomKey()
	}
}
