package controller_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
)

// TestExamples runs the other examples against a real API server.
func TestExamples(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	cluster, err := kube.Connect(kube.Config{REST: w.plane.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	nodes := start(t, w.plane.Kubeconfig(), "nodes")
	classic := start(t, w.plane.Kubeconfig(), "podcontroller")
	both := start(t, w.plane.Kubeconfig(), "jobs")

	template := corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train"}}}
	create := func(name, node string) {
		t.Helper()
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: template}
		pod.Spec.NodeName = node
		if _, err := w.pods.Create(ctx, pod); err != nil {
			t.Fatal(err)
		}
	}
	create("a", "node-1")
	nodes.says("default/a has changed; pods on node-1: 1")
	classic.says("default/a is one of 1 pods on node-1")
	create("b", "node-1")
	nodes.says("default/b has changed; pods on node-1: 2")
	create("c", "")
	classic.says("default/c: it has no node yet; again in")

	meta := metav1.ObjectMeta{Namespace: "default", Name: "train"}
	if _, err := jobs.Create(ctx, &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: template}}}); err != nil {
		t.Fatal(err)
	}
	both.says("every: default/train Added, waiting")
	started := metav1.Now() // the server accepts only one
	for _, failed := range []int32{1, 2} {
		if _, err := jobs.Status().Mutate(ctx, key("train"), func(j *batchv1.Job) error {
			j.Status.StartTime, j.Status.Failed = &started, failed
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	both.says("every: default/train Updated, failed")
	both.says("latest: default/train is failed")
	if err := jobs.Delete(ctx, key("train"), kube.DeleteOptions{Propagation: kube.Background}); err != nil {
		t.Fatal(err)
	}
	both.says("every: default/train Deleted, failed")
	both.says("latest: default/train is gone")
	classic.stop()
	both.stop()
}
