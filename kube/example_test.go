package kube_test

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
)

func ExampleCluster_Resolve() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()}) // a program uses kube.Config{}, as kubectl does
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	for _, name := range []string{"po", "jobs.batch", "pdos"} {
		r, err := cluster.Resolve(context.Background(), name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(name, "are", r.APIVersion(), r.Kind)
	}
	// Output:
	// po are v1 Pod
	// jobs.batch are batch/v1 Job
	// the server at apitest has no resource type "pdos"; did you mean pods?
}
