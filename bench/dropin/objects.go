package dropin

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// rounds is how many times each object is updated.
const rounds = 5

// template is the i-th of some pod templates, in one of its states.
func template(i, state int) corev1.PodTemplateSpec {
	var env []corev1.EnvVar
	for k := range 15 {
		env = append(env, corev1.EnvVar{Name: fmt.Sprintf("VAR_%d", k), Value: fmt.Sprintf("value-%d-%d", k, i%7)})
	}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": fmt.Sprintf("a%d", i%10), "state": fmt.Sprint(state)}},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{
			Name: "main", Image: "registry.example.com/train:v1", Command: []string{"python", "train.py", "--lr", "1e-4"}, Env: env,
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				"cpu": resource.MustParse("4"), "memory": resource.MustParse("8Gi"), "nvidia.com/gpu": resource.MustParse("1"),
			}},
		}}},
	}
}

// objects returns the i-th object of each type, in one of its states.
func objects(i, state int) []apitest.Object {
	meta := func() metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: "default", Name: fmt.Sprintf("obj-%05d", i),
			Labels:      map[string]string{"app": fmt.Sprintf("a%d", i%10), "state": fmt.Sprint(state)},
			Annotations: map[string]string{"note": fmt.Sprintf("some annotation %d of %d", i, state)},
		}
	}
	t := template(i, state)
	selector := &metav1.LabelSelector{MatchLabels: t.Labels}
	return []apitest.Object{
		&corev1.Pod{ObjectMeta: meta(), Spec: t.Spec},
		&corev1.ConfigMap{ObjectMeta: meta(), Data: map[string]string{"a": fmt.Sprintf("text %d", i), "b": "constant constant constant"}},
		&corev1.Secret{ObjectMeta: meta(), Data: map[string][]byte{"token": fmt.Appendf(nil, "%032d%d", i, state)}},
		&corev1.Service{ObjectMeta: meta(), Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "x"}, Ports: []corev1.ServicePort{{Port: 80}}}},
		&appsv1.Deployment{ObjectMeta: meta(), Spec: appsv1.DeploymentSpec{Selector: selector, Template: t}},
		&appsv1.ReplicaSet{ObjectMeta: meta(), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: t}},
		&batchv1.Job{ObjectMeta: meta(), Spec: batchv1.JobSpec{Template: t}},
		&corev1.ServiceAccount{ObjectMeta: meta()},
		&corev1.Event{ObjectMeta: meta(), Reason: "Scheduled", Message: fmt.Sprintf("Successfully assigned %d", i), InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "x", Namespace: "default"}},
		&corev1.PersistentVolumeClaim{ObjectMeta: meta()},
	}
}
