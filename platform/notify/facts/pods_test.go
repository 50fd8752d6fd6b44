package facts_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// owned returns the metadata of an object that another object controls.
func (p *platform) owned(name, apiVersion, kind string, owner apitest.Object) metav1.ObjectMeta {
	p.Helper()
	made, err := p.srv.Get(owner)
	if err != nil {
		p.Fatal(err)
	}
	return metav1.ObjectMeta{Namespace: "ml", Name: name, OwnerReferences: []metav1.OwnerReference{
		{APIVersion: apiVersion, Kind: kind, Name: made.GetName(), UID: made.GetUID(), Controller: new(true)},
	}}
}

// TestLauncher: the cause of a failed MPIJob is that of its launcher, which is a pod of a Job
// that the MPIJob controls.
func TestLauncher(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		p := newPlatform(t, url)
		mpi := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": map[string]any{"namespace": "ml", "name": "mpi"},
		}}
		p.create(mpi)
		p.seen("mpi", job.Submitted)
		j := &batchv1.Job{ObjectMeta: p.owned("mpi-launcher", "kubeflow.org/v2beta1", "MPIJob", mpi)}
		p.create(j)
		p.seen("mpi-launcher", job.Submitted) // another target: its order with the others is not defined
		pod := &corev1.Pod{ObjectMeta: p.owned("mpi-launcher-x", "batch/v1", "Job", j), Spec: podSpec()}
		pod.Spec.NodeName = "node-1"
		p.create(pod)
		p.end(pod, "OOMKilled", 137)
		if _, err := apitest.Modify(p.srv, mpi, func(o *unstructured.Unstructured) {
			o.Object["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Failed", "status": "True", "reason": "MPIJobFailed", "lastTransitionTime": metav1.Now().UTC().Format("2006-01-02T15:04:05Z"),
			}}}
		}); err != nil {
			t.Fatal(err)
		}
		c := p.fill(message.Failed, p.seen("mpi", job.Failed)).Cause
		if c.Reason != message.OOMKilled || c.Pod != "mpi-launcher-x" || c.Node != "node-1" || c.ExitCode == nil || *c.ExitCode != 137 {
			t.Errorf("got cause %+v, want OOMKilled with code 137 of mpi-launcher-x on node-1", c)
		}
	})
}
