package cookbook

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
	"github.com/vedette-io/vedette/wire"
)

func createOrUpdate(ctx context.Context, configs *kube.Client[corev1.ConfigMap], owner *corev1.Pod) error {
	key := wire.Key{Namespace: owner.Namespace, Name: owner.Name + "-settings"}
	_, outcome, err := configs.CreateOrUpdate(ctx, key, func(c *corev1.ConfigMap) error {
		c.Data = map[string]string{"batch": "32"}
		return kube.SetController(c, owner) // the ConfigMap is deleted with its owner
	})
	if err != nil {
		return err
	}
	fmt.Println(key, outcome)
	return nil
}

func Example_createOrUpdate() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		configs, err := kube.For[corev1.ConfigMap](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		owner, err := pods.Get(ctx, wire.Key{Namespace: "ml", Name: "train-0"})
		if err != nil {
			return err
		}
		return errors.Join(createOrUpdate(ctx, configs, owner), createOrUpdate(ctx, configs, owner))
	}, pod("train-0", "train", "n1"))
	// Output:
	// ml/train-0-settings created
	// ml/train-0-settings unchanged
}

func changeWithConflicts(ctx context.Context, pods *kube.Client[corev1.Pod], key wire.Key) error {
	_, err := pods.Mutate(ctx, key, func(p *corev1.Pod) error { // called again if another client was faster
		metav1.SetMetaDataAnnotation(&p.ObjectMeta, "example.com/checked", "yes")
		return nil
	})
	return err
}

func Example_changeWithConflicts() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		key := wire.Key{Namespace: "ml", Name: "train-0"}
		if err := changeWithConflicts(ctx, pods, key); err != nil {
			return err
		}
		p, err := pods.Get(ctx, key)
		if err == nil {
			fmt.Println(p.Annotations)
		}
		return err
	}, pod("train-0", "train", "n1"))
	// Output: map[example.com/checked:yes]
}

func apply(ctx context.Context, cluster *kube.Cluster) error {
	configs, err := kube.For[corev1.ConfigMap](cluster, kube.ClientConfig{FieldManager: "settings"})
	if err != nil {
		return err
	}
	want := applycorev1.ConfigMap("settings", "ml").WithData(map[string]string{"batch": "32"})
	applied, err := configs.ApplyConfiguration(ctx, want, kube.ReportConflicts)
	if err == nil {
		fmt.Println(applied.Data, applied.ManagedFields[0].Manager)
	}
	return err
}

func Example_apply() {
	with(apply)
	// Output: map[batch:32] settings
}

func deleteAsRead(ctx context.Context, pods *kube.Client[corev1.Pod], p *corev1.Pod) error {
	err := pods.Delete(ctx, kube.KeyOf(p), kube.SameRevision(p)) // a conflict if it has changed since; SameObject: if it was replaced
	return kube.IgnoreNotFound(err)
}

func Example_deleteAsRead() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		key := wire.Key{Namespace: "ml", Name: "train-0"}
		old, err := pods.Get(ctx, key)
		if err != nil {
			return err
		}
		if err := changeWithConflicts(ctx, pods, key); err != nil {
			return err
		}
		fmt.Println("an old state:", deleteAsRead(ctx, pods, old) != nil)
		now, err := pods.Get(ctx, key)
		if err != nil {
			return err
		}
		return deleteAsRead(ctx, pods, now)
	}, pod("train-0", "train", "n1"))
	// Output: an old state: true
}

const objects = `
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: ml}
---
apiVersion: v1
kind: Service
metadata: {name: b, namespace: ml}
spec: {ports: [{port: 80}]}
`

func applyManifest(ctx context.Context, cluster *kube.Cluster) error {
	all, err := manifest.Parse(ctx, "objects.yaml", []byte(objects)) // errors name the file and the line
	if err != nil {
		return err
	}
	written, err := manifest.Apply(ctx, cluster, "installer", kube.ReportConflicts, all...)
	for _, obj := range written {
		fmt.Println(obj.GetKind(), obj.GetName())
	}
	return err
}

func Example_applyManifest() {
	with(applyManifest)
	// Output:
	// ConfigMap a
	// Service b
}

func clientsetBeside(ctx context.Context, cluster *kube.Cluster) error {
	clientset, err := kubernetes.NewForConfig(cluster.RESTConfig())
	if err != nil {
		return err
	}
	pods, err := clientset.CoreV1().Pods("ml").List(ctx, metav1.ListOptions{})
	if err == nil {
		fmt.Println(len(pods.Items))
	}
	return err
}

func Example_clientsetBeside() {
	with(clientsetBeside, pod("train-0", "train", "n1"))
	// Output: 1
}
