package migrating_test

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// place is the namespace of a script.
type place struct {
	clients   kubernetes.Interface
	namespace string
}

// act is a change by the script.
type act func(context.Context, place) error

// scene is a change that follows a line with a prefix.
type scene struct {
	says string
	do   act
}

// script is the changes during a program.
type script struct {
	args   []string
	before []act // initial objects
	scenes []scene
	ends   string // the last line
}

var scripts = map[string]script{
	"podindex": {
		args:   []string{"-until", "c"},
		before: []act{pod("a", "node-1"), pod("b", "node-1"), pod("c", "node-2")},
		scenes: []scene{
			{"watching", remove("a")},
			{"a is gone; node-1 still has [b]", all(pod("d", "node-1"), remove("b"))},
			{"b is gone; node-1 still has [d]", remove("c")},
		},
		ends: "c is gone; node-2 still has []",
	},
	"handlers": {
		args:   []string{"-until", "b"},
		before: []act{configMap("there", "1")},
		scenes: []scene{{"watching, with 1 there already", all(
			configMap("a", "1"), configMap("b", "1"), set("a", "2"), set("there", "3"), set("a", "4"), set("b", "5"), drop("a"),
			configMap("a", "6"), drop("b"),
		)}},
		ends: "b was deleted",
	},
	"podcontroller": {
		args: []string{"-until", "a"},
		scenes: []scene{
			{"watching", pod("a", "")},
			{"a has no node; trying again", bind("a", "node-1")},
			{"a runs on node-1", pod("b", "node-2")},
			{"b runs on node-2", remove("b")},
			{"b is gone", remove("a")},
		},
		ends: "a is gone",
	},
	"restlist": {
		before: []act{configMap("a", "1"), configMap("b", "1"), configMap("c", "1"), color("a", "red"), color("c", "blue")},
		ends:   "2 ConfigMaps have a color",
	},
	"clientsetlist": {
		before: []act{pod("a", "node-1"), pod("b", "node-2"), pod("c", "node-1"), pod("d", "node-1"), pod("e", "node-2")},
		ends:   "node-2 has 2 pods",
	},
	"dynamic": {
		args:   []string{"-until", "b", "-resource", "deployments.v1.apps"},
		before: []act{deployment("a", 1)},
		scenes: []scene{{"watching", all(deployment("b", 2), scale("a", 3), scale("b", 4), scale("b", 0), undeploy("b"))}},
		ends:   "Deployment b was deleted: replicas=0",
	},
	"leader": {
		args:   []string{"-until", "b"},
		before: []act{configMap("a", "1")},
		scenes: []scene{{"a has its label", configMap("b", "1")}},
		ends:   "no longer leading",
	},
}

// all combines several changes.
func all(acts ...act) act {
	return func(ctx context.Context, p place) (err error) {
		for _, do := range acts {
			err = errors.Join(err, do(ctx, p))
		}
		return err
	}
}

func template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "a"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "image"}}},
	}
}

func pod(name, node string) act {
	return func(ctx context.Context, p place) error {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: template().Spec}
		pod.Spec.NodeName = node
		_, err := p.clients.CoreV1().Pods(p.namespace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	}
}

func bind(name, node string) act {
	return func(ctx context.Context, p place) error {
		b := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: name}, Target: corev1.ObjectReference{Kind: "Node", Name: node}}
		return p.clients.CoreV1().Pods(p.namespace).Bind(ctx, b, metav1.CreateOptions{})
	}
}

// remove deletes a pod at once: no kubelet would end it.
func remove(name string) act {
	return func(ctx context.Context, p place) error {
		return p.clients.CoreV1().Pods(p.namespace).Delete(ctx, name, *metav1.NewDeleteOptions(0))
	}
}

func configMap(name, value string) act {
	return func(ctx context.Context, p place) error {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"key": value}}
		_, err := p.clients.CoreV1().ConfigMaps(p.namespace).Create(ctx, cm, metav1.CreateOptions{})
		return err
	}
}

func patch(name, text string) act {
	return func(ctx context.Context, p place) error {
		_, err := p.clients.CoreV1().ConfigMaps(p.namespace).Patch(ctx, name, types.MergePatchType, []byte(text), metav1.PatchOptions{})
		return err
	}
}

func set(name, value string) act { return patch(name, fmt.Sprintf(`{"data":{"key":%q}}`, value)) }
func color(name, value string) act {
	return patch(name, fmt.Sprintf(`{"metadata":{"labels":{"color":%q}}}`, value))
}

func drop(name string) act {
	return func(ctx context.Context, p place) error {
		return p.clients.CoreV1().ConfigMaps(p.namespace).Delete(ctx, name, metav1.DeleteOptions{})
	}
}

func deployment(name string, replicas int32) act {
	return func(ctx context.Context, p place) error {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}, Template: template(),
		}}
		_, err := p.clients.AppsV1().Deployments(p.namespace).Create(ctx, d, metav1.CreateOptions{})
		return err
	}
}

func scale(name string, replicas int) act {
	return func(ctx context.Context, p place) error {
		text := fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)
		_, err := p.clients.AppsV1().Deployments(p.namespace).Patch(ctx, name, types.MergePatchType, []byte(text), metav1.PatchOptions{})
		return err
	}
}

func undeploy(name string) act {
	return func(ctx context.Context, p place) error {
		return p.clients.AppsV1().Deployments(p.namespace).Delete(ctx, name, metav1.DeleteOptions{})
	}
}
