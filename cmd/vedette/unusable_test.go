package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
)

// newTrainJob returns a custom resource with a list of numbers.
func newTrainJob(name string, numbers ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "TrainJob", "metadata": map[string]any{"namespace": "ml", "name": name},
		"status": map[string]any{"phase": "Running", "numbers": numbers},
	}}
}

// TestWatchGoesOnBehindOddObjects checks that an object that cannot be shown or decoded is a line on
// standard error, and that watch shows later objects.
func TestWatchGoesOnBehindOddObjects(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	if err := srv.Register(apitest.Type{Group: "example.com", Version: "v1", Kind: "TrainJob", Namespaced: true}); err != nil {
		t.Fatal(err)
	}
	srv.create(newTrainJob("before", int64(1), int64(2)))
	p := srv.watch("trainjobs", "-o", `jsonpath={.metadata.name}{"="}{.status.numbers[1]}{"\n"}`)
	p.out.holds(t, "before=2\n")
	srv.create(newTrainJob("odd", int64(3)), newTrainJob("next", int64(4), int64(5)))
	p.err.holds(t, "trainjobs.example.com ml/odd cannot be shown: ")
	p.out.holds(t, "next=5\n")
	if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch, Resource: "trainjobs"}, Action: apitest.Garbage(apitest.GarbageObject)}); err != nil {
		t.Fatal(err)
	}
	srv.create(newTrainJob("last", int64(6), int64(7)))
	p.err.holds(t, "trainjobs.example.com: unusable object")
	p.out.holds(t, "last=7\n")
	p.interrupt()
}
