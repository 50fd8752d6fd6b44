package main

import (
	"fmt"

	"github.com/vedette-io/vedette/submit"
)

// requests returns a request for each job.
func (o *submitOptions) requests(jobs []sourced) []submit.Request {
	requests := make([]submit.Request, len(jobs))
	equal := map[string]int{}
	for i, j := range jobs {
		requests[i] = submit.Request{Manifest: j.manifest, Namespace: o.namespace, Template: j.template, Key: o.key, Again: o.again, Hold: o.hold}
		if text, err := j.manifest.Object.MarshalJSON(); err == nil {
			requests[i].Ordinal = equal[string(text)]
			equal[string(text)]++
		}
		if o.key != "" && i > 0 {
			requests[i].Key = fmt.Sprintf("%s#%d", o.key, i+1)
		}
	}
	return requests
}
