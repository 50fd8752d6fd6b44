package submit_test

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// Submit a job twice with one key: the second request finds the job of the first.
func Example() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	all, err := manifest.Parse(context.Background(), "job.yaml", []byte(`
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: train}]}}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := submit.New(cluster, submit.Config{User: "ann"})
	for range 2 {
		result, err := client.Submit(context.Background(), submit.Request{Manifest: all[0], Key: "commit-4f2a"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Created)
	}
	// Output:
	// true
	// false
}
