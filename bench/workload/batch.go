package workload

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// meta returns the metadata of the i-th object of a sort.
func meta(sort string, i int) metav1.ObjectMeta {
	at := when(i)
	return metav1.ObjectMeta{
		Name: fmt.Sprintf("%s-%06d", sort, i), Namespace: fmt.Sprintf("team-%02d", i%50),
		UID:               types.UID(fmt.Sprintf("%08x-%04x-4000-9000-%012x", i*2654435761%(1<<32), i%(1<<16), i)),
		CreationTimestamp: at,
		Labels:            map[string]string{"app": fmt.Sprintf("service-%04d", i/perDeployment), "app.kubernetes.io/managed-by": "Helm"},
		ManagedFields:     []metav1.ManagedFieldsEntry{managed("kube-controller-manager", "", at, "f:spec", 12)},
	}
}

func when(i int) metav1.Time { return metav1.NewTime(time.Unix(1_760_000_000+int64(i), 0)) }

// job is a training job with one container.
func job(seed uint64, i int) Object {
	r := random(seed, i)
	at := when(i)
	j := &batchv1.Job{ObjectMeta: meta("train", i)}
	one := int32(1)
	j.Spec = batchv1.JobSpec{Parallelism: &one, Completions: &one, BackoffLimit: &one}
	j.Spec.Template.Labels = map[string]string{"job-name": j.Name}
	c := container(j.Labels["app"], "train")
	c.Args = append(c.Args, fmt.Sprintf("--seed=%d", r.IntN(1<<20)), fmt.Sprintf("--learning-rate=%.6f", r.Float64()/100))
	j.Spec.Template.Spec = corev1.PodSpec{Containers: []corev1.Container{c}, RestartPolicy: corev1.RestartPolicyNever}
	j.Status = batchv1.JobStatus{StartTime: &at, Active: 1, Conditions: []batchv1.JobCondition{{
		Type: batchv1.JobSuspended, Status: corev1.ConditionFalse, LastTransitionTime: at, Message: "Job resumed",
	}}}
	return j
}

// node is a machine with its conditions and images.
func node(seed uint64, i int) Object {
	r := random(seed, i)
	at := when(i)
	n := &corev1.Node{ObjectMeta: meta("node", i)}
	n.Namespace = ""
	n.Labels["kubernetes.io/hostname"] = n.Name
	n.Labels["topology.kubernetes.io/zone"] = fmt.Sprintf("zone-%c", 'a'+i%3)
	n.Spec = corev1.NodeSpec{PodCIDR: fmt.Sprintf("10.%d.%d.0/24", i>>8&255, i&255), ProviderID: fmt.Sprintf("example://%016x", r.Uint64())}
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("263849816Ki"), corev1.ResourcePods: resource.MustParse("110"),
	}
	n.Status.Capacity, n.Status.Allocatable = capacity, capacity
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: kind, Status: corev1.ConditionFalse, LastHeartbeatTime: at, LastTransitionTime: at, Reason: "KubeletHasNo" + string(kind), Message: "kubelet reports " + string(kind),
		})
	}
	for range 30 {
		at := r.IntN(400)
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("registry.example.com/image-%03d@sha256:%064x", at, at*104729), fmt.Sprintf("registry.example.com/image-%03d:v1.%d", at, at%9)},
			SizeBytes: int64(at) * 1_234_567,
		})
	}
	n.Status.NodeInfo = corev1.NodeSystemInfo{KernelVersion: "6.12.0", OSImage: "Example Linux", ContainerRuntimeVersion: "containerd://2.1.0", KubeletVersion: "v1.37.2", OperatingSystem: "linux", Architecture: "amd64"}
	return n
}

// event is an event of a pod from a component.
func event(seed uint64, i int) Object {
	r := random(seed, i)
	at := when(i)
	of := pod(i + int(seed)*otherSeed)
	e := &corev1.Event{ObjectMeta: meta("event", i)}
	e.Name = fmt.Sprintf("%s.%016x", of.Name, r.Uint64())
	e.Labels = nil
	reasons := []string{"Scheduled", "Pulled", "Created", "Started", "Unhealthy", "BackOff"}
	e.Reason = reasons[r.IntN(len(reasons))]
	e.InvolvedObject = corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: e.Namespace, Name: of.Name, UID: of.UID, FieldPath: "spec.containers{main}"}
	e.Message = fmt.Sprintf("%s: container main of pod %s took %d ms", e.Reason, of.Name, r.IntN(30_000))
	e.Source = corev1.EventSource{Component: "kubelet", Host: of.Spec.NodeName}
	e.FirstTimestamp, e.LastTimestamp, e.Count, e.Type = at, at, int32(r.IntN(40)), corev1.EventTypeNormal
	return e
}
