package logs_test

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/submit"
)

// Read the logs of all pods of a job.
func ExampleRead() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	created, err := server.Create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	yes := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ml", Name: "train-0", Labels: map[string]string{"job-name": "train", "batch.kubernetes.io/job-name": "train"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: types.UID(created.GetUID()), Controller: &yes}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 0}}},
		}},
	}
	if _, err := server.Create(pod); err != nil {
		fmt.Println(err)
		return
	}
	if err := server.WriteLog("ml", "train-0", "main", "epoch 1\nepoch 2\n"); err != nil {
		fmt.Println(err)
		return
	}
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	jobs, err := cluster.Resolve(context.Background(), "jobs.batch")
	if err != nil {
		fmt.Println(err)
		return
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"namespace": "ml", "name": "train", "uid": string(created.GetUID())},
	}}
	for line, err := range logs.Read(context.Background(), logs.Options{Cluster: cluster, Job: submit.JobOf(jobs, object)}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(line.Pod, line.Text)
	}
	// Output:
	// train-0 epoch 1
	// train-0 epoch 2
}
