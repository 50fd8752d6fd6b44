package dropin_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The capacity of a node: 2,000 pods and the pods of jobs and deployments take nine tenths
// of the CPU of 100 nodes, so that a scheduler that forgets a pod overcommits a node.
const (
	nodeCPU  = "13"
	nodePods = "60"
	cordoned = "node-0"
)

// The namespaces of the workload.
const (
	plainPods = "pods"
	apartPods = "apart"
	jobs      = "jobs"
	rollouts  = "rollouts"
	doomed    = "doomed"
)

var namespaces = []string{plainPods, apartPods, jobs, rollouts, doomed}

// labelOf is the label of the owner.
const labelOf = "of"

func newNode(i int) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(nodeCPU), corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse(nodePods),
	}
	name := fmt.Sprintf("node-%d", i)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Spec:       corev1.NodeSpec{Unschedulable: name == cordoned},
		Status:     corev1.NodeStatus{Capacity: room, Allocatable: room},
	}
}

// podSpec returns a pod of one container, which requests CPU.
func podSpec(cpu string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main", Image: "example.com/main:1",
		Env:       []corev1.EnvVar{{Name: "A", Value: "a"}, {Name: "B", Value: "b"}, {Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("64Mi")}},
	}}}
}

func newPod(namespace, name, cpu string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{labelOf: name}}, Spec: podSpec(cpu)}
}

// newApart returns a pod with anti-affinity to others of its kind.
func newApart(i int) *corev1.Pod {
	pod := newPod(apartPods, fmt.Sprintf("apart-%d", i), "100m")
	pod.Labels = map[string]string{labelOf: "apart"}
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}, TopologyKey: corev1.LabelHostname,
	}}}}
	return pod
}

func newJob(namespace string, i int) *batchv1.Job {
	spec := podSpec("100m")
	spec.RestartPolicy = corev1.RestartPolicyNever
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("job-%d", i)},
		Spec:       batchv1.JobSpec{Completions: new(int32(4)), Parallelism: new(int32(2)), Template: corev1.PodTemplateSpec{Spec: spec}},
	}
}

// replicas is the number of replicas of each deployment.
const replicas = 4

func newDeployment(namespace string, i int) *appsv1.Deployment {
	name := fmt.Sprintf("deployment-%d", i)
	labels := map[string]string{labelOf: name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(replicas)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec("200m")},
		},
	}
}

// newService returns the service of a deployment.
func newService(namespace string, i int) *corev1.Service {
	name := fmt.Sprintf("deployment-%d", i)
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{labelOf: name},
			Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}},
		},
	}
}
