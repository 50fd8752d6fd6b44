package kube_test

import (
	"context"
	"fmt"
	"io"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// example runs a function against a cluster in the process, and prints its error. A
// program that uses a real cluster calls kube.Connect(kube.Config{}).
func example(run func(context.Context, *kube.Cluster) error) {
	server, err := apitest.New(apitest.Config{Types: []apitest.Type{trainJobs}})
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
	if err := run(context.Background(), cluster); err != nil {
		fmt.Println(err)
	}
}

// A client for a built-in type.
func ExampleFor() {
	example(func(ctx context.Context, cluster *kube.Cluster) error {
		jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train-7"}}
		if job, err = jobs.Create(ctx, job); err != nil {
			return err
		}
		fmt.Println(job.Kind, job.Name, "at", job.ResourceVersion)
		key := wire.Key{Namespace: "ml", Name: "train-7"}
		job, err = jobs.Patch(ctx, key, kube.MergePatch(map[string]any{"spec": map[string]any{"suspend": true}}))
		if err != nil {
			return err
		}
		fmt.Println("suspended:", *job.Spec.Suspend)
		if err := jobs.Delete(ctx, key, kube.DeleteOptions{UID: job.UID, Propagation: kube.Background}); err != nil {
			return err
		}
		_, err = jobs.Get(ctx, key)
		fmt.Println("gone:", apierrors.IsNotFound(err))
		return err
	})
	// Output:
	// Job train-7 at 2
	// suspended: true
	// gone: true
	// get jobs.batch ml/train-7 at apitest: jobs.batch "train-7" not found
}

// A client for a custom resource needs the Go struct of the resource, and no generated
// code.
func ExampleFor_customResource() {
	example(func(ctx context.Context, cluster *kube.Cluster) error {
		jobs, err := kube.For[TrainJob](cluster, kube.ClientConfig{Resource: "trainjobs.example.com"})
		if err != nil {
			return err
		}
		job, err := jobs.Create(ctx, &TrainJob{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "bert"},
			Spec:       TrainSpec{Workers: 8},
		})
		if err != nil {
			return err
		}
		job.Status.Phase = "Running"
		job, err = jobs.Status().Update(ctx, job)
		if err != nil {
			return err
		}
		fmt.Println(job.Kind, job.Name, job.Spec.Workers, job.Status.Phase)
		return nil
	})
	// Output: TrainJob bert 8 Running
}

// Clients without a Go struct, and for metadata only.
func ExampleFor_unstructured() {
	example(func(ctx context.Context, cluster *kube.Cluster) error {
		maps, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: "configmaps"})
		if err != nil {
			return err
		}
		_, err = maps.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"namespace": "ml", "name": "settings"},
			"data":     map[string]any{"lr": "0.001"},
		}})
		if err != nil {
			return err
		}
		metas, err := kube.For[metav1.PartialObjectMetadata](cluster, kube.ClientConfig{Resource: "configmaps"})
		if err != nil {
			return err
		}
		for m, err := range metas.List(ctx, kube.Where{Namespace: "ml"}) {
			if err != nil {
				return err
			}
			fmt.Println(m.Kind, m.Name)
		}
		return nil
	})
	// Output: ConfigMap settings
}

// Mutate reads, changes and writes an object, and retries after a conflict.
func ExampleClient_Mutate() {
	example(func(ctx context.Context, cluster *kube.Cluster) error {
		jobs, err := kube.For[TrainJob](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		if _, err = jobs.Create(ctx, trainJob("x")); err != nil {
			return err
		}
		job, err := jobs.Mutate(ctx, wire.Key{Namespace: "ml", Name: "x"}, func(job *TrainJob) error {
			kube.AddFinalizer(job, "example.com/release-gpus")
			job.Spec.Workers++
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Println(job.Spec.Workers, job.Finalizers)
		return nil
	})
	// Output: 2 [example.com/release-gpus]
}

// Watch waits until a pod runs.
func ExampleClient_Watch() {
	example(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		if _, err = pods.Create(ctx, pod("ml", "worker-0", "bert")); err != nil {
			return err
		}
		for ev, err := range pods.Watch(ctx, kube.Where{Namespace: "ml", LabelSelector: "app=bert"}, 0) {
			if err != nil {
				return err
			}
			fmt.Println(ev.Type, ev.Object.Name, ev.Object.Status.Phase)
			if ev.Object.Status.Phase == corev1.PodRunning {
				break
			}
			ev.Object.Status.Phase = corev1.PodRunning
			if _, err := pods.Status().Update(ctx, ev.Object); err != nil {
				return err
			}
		}
		return nil
	})
	// Output:
	// ADDED worker-0 Pending
	// MODIFIED worker-0 Running
}

// WithWrites reports all writes that are made with a context.
func ExampleWithWrites() {
	example(func(ctx context.Context, cluster *kube.Cluster) error {
		jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		ctx = kube.WithWrites(ctx, func(w kube.Written) {
			fmt.Println("wait until", w.Resource, w.Key, "is at", w.Version)
		})
		_, err = jobs.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train-7"}})
		return err
	})
	// Output: wait until jobs.batch ml/train-7 is at 2
}

// A pod with a controller is deleted with it, and ControllerOf finds the controller.
func ExampleSetController() {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train-7", UID: "0e4b"}}
	worker := pod("ml", "train-7-0", "bert")
	if err := kube.SetController(worker, job); err != nil {
		fmt.Println(err)
		return
	}
	owner, ok := kube.ControllerOf(worker)
	fmt.Println(owner.Kind, owner.Name, ok)
	// Output: Job train-7 true
}

// Do sends a request that no client supports.
func ExampleCluster_Do() {
	example(func(ctx context.Context, cluster *kube.Cluster) error {
		body, err := cluster.Do(ctx, kube.Request{Path: "/healthz"})
		if err != nil {
			return err
		}
		defer body.Close()
		text, err := io.ReadAll(body)
		fmt.Println(string(text))
		return err
	})
	// Output: ok
}
