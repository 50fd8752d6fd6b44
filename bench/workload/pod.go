package workload

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// perDeployment is the number of pods of a Deployment.
const perDeployment = 20

// pod returns the i-th pod of a cluster: one of twenty of a Deployment, with two
// containers, probes, environment, tolerations, and two field managers. It is about 6 KB
// in protobuf.
func pod(i int) *corev1.Pod {
	group := i / perDeployment
	app := fmt.Sprintf("service-%04d", group)
	at := metav1.NewTime(time.Unix(1_760_000_000+int64(i), 0))
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:              fmt.Sprintf("%s-%08x-%05x", app, group*2654435761%(1<<32), i*40503%(1<<20)),
			GenerateName:      app + "-",
			Namespace:         fmt.Sprintf("team-%02d", group%50),
			UID:               types.UID(fmt.Sprintf("%08x-%04x-4000-8000-%012x", i*2654435761%(1<<32), i%(1<<16), i)),
			ResourceVersion:   fmt.Sprint(1_000_000 + i),
			CreationTimestamp: at,
			Labels: map[string]string{
				"app": app, "app.kubernetes.io/name": app, "app.kubernetes.io/managed-by": "Helm",
				"pod-template-hash": fmt.Sprintf("%08x", group*2654435761%(1<<32)), "tier": "backend",
			},
			Annotations: map[string]string{
				"prometheus.io/scrape": "true", "prometheus.io/port": "9090",
				"checksum/config": fmt.Sprintf("%064x", group*7919),
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app, Controller: new(bool),
				UID: types.UID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", group)),
			}},
			ManagedFields: []metav1.ManagedFieldsEntry{
				managed("kube-controller-manager", "", at, "f:spec", 24),
				managed("kubelet", "status", at, "f:status", 16),
			},
		},
	}
	for _, name := range []string{"main", "sidecar"} {
		p.Spec.Containers = append(p.Spec.Containers, container(app, name))
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: name, Ready: true, Started: new(bool), RestartCount: int32(i % 3),
			Image:       "registry.example.com/" + app + "/" + name + ":v1.2.3",
			ImageID:     fmt.Sprintf("registry.example.com/%s/%s@sha256:%064x", app, name, group),
			ContainerID: fmt.Sprintf("containerd://%064x", i*7),
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
		})
	}
	p.Spec.NodeName = fmt.Sprintf("node-%04d", i%500)
	p.Spec.ServiceAccountName = app
	seconds := int64(300)
	for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
	}
	p.Status.Phase = corev1.PodRunning
	p.Status.PodIP = fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)
	p.Status.HostIP = fmt.Sprintf("192.0.2.%d", i%250)
	p.Status.StartTime = &at
	for _, kind := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at})
	}
	return p
}

func managed(manager, subresource string, at metav1.Time, top string, fields int) metav1.ManagedFieldsEntry {
	var text strings.Builder
	fmt.Fprintf(&text, `{%q:{`, top)
	for i := range fields {
		fmt.Fprintf(&text, `"f:field-%02d":{".":{},"k:{\"name\":\"main\"}":{}},`, i)
	}
	text.WriteString(`".":{}}}`)
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(text.String()), Subresource: subresource,
	}
}

func container(app, name string) corev1.Container {
	c := corev1.Container{
		Name: name, Image: "registry.example.com/" + app + "/" + name + ":v1.2.3",
		Args:  []string{"--log-level=info", "--config=/etc/" + app + "/config.yaml", "--listen=0.0.0.0:8080"},
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}, {Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("512Mi")},
		},
		VolumeMounts:             []corev1.VolumeMount{{Name: "config", MountPath: "/etc/" + app}, {Name: "kube-api-access", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
		TerminationMessagePath:   "/dev/termination-log",
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		ImagePullPolicy:          corev1.PullIfNotPresent,
	}
	for i := range 12 {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%02d", i), Value: fmt.Sprintf("value-of-%s-%02d", app, i)})
	}
	probe := &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: corev1.URISchemeHTTP}},
		PeriodSeconds: 10, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 3,
	}
	c.LivenessProbe, c.ReadinessProbe = probe, probe
	return c
}
