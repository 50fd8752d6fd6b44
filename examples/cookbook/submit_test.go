package cookbook

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

func submitOnce(ctx context.Context, cluster *kube.Cluster, file string, text []byte) error {
	all, err := manifest.Parse(ctx, file, text)
	if err != nil {
		return err
	}
	client := submit.New(cluster, submit.Config{User: "ann", Namespace: "ml"})
	for range 2 { // a lost answer, a second click: the same request creates one job
		result, err := client.Submit(ctx, submit.Request{Manifest: all[0], Key: "commit-4f2a"})
		if err != nil {
			return err
		}
		fmt.Println(result.Resource, "created:", result.Created)
	}
	return nil
}

func Example_submitOnce() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		return submitOnce(ctx, cluster, "job.yaml", []byte(`
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: train}]}}}
`))
	})
	// Output:
	// jobs.batch created: true
	// jobs.batch created: false
}
