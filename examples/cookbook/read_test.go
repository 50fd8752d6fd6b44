package cookbook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

func readFromMemory(ctx context.Context, cluster *kube.Cluster) error {
	pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- pods.Run(ctx) }()
	if err := pods.WaitForSync(ctx); err != nil {
		stop()
		return errors.Join(err, <-ended)
	}
	pod, found, err := pods.Snapshot().Get(wire.Key{Namespace: "ml", Name: "train-0"})
	if err == nil && found {
		fmt.Println(pod.Name, "runs on", pod.Spec.NodeName)
	}
	stop()
	return errors.Join(err, <-ended)
}

func Example_readFromMemory() {
	with(readFromMemory, pod("train-0", "train", "n1"))
	// Output: train-0 runs on n1
}

// running runs an informer while f runs.
func running[T any](ctx context.Context, i *informer.Informer[T], f func() error) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- i.Run(ctx) }()
	err := i.WaitForSync(ctx)
	if err == nil {
		err = f()
	}
	stop()
	return errors.Join(err, <-ended)
}

func selectByLabels(pods *informer.Informer[corev1.Pod]) error {
	for pod, err := range pods.Snapshot().Select("app in (train, eval)", "ml") {
		if err != nil {
			return err
		}
		fmt.Println(pod.Name)
	}
	return nil
}

func Example_selectByLabels() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
		if err != nil {
			return err
		}
		return running(ctx, pods, func() error { return selectByLabels(pods) })
	}, pod("train-0", "train", "n1"), pod("eval-0", "eval", "n1"), pod("web-0", "web", "n1"))
	// Output:
	// eval-0
	// train-0
}

func followPart(cluster *kube.Cluster) (*informer.Informer[corev1.Pod], error) {
	return informer.Watch[corev1.Pod](cluster, informer.Config{
		Namespaces:    []string{"ml", "batch"},
		LabelSelector: "app=train",
		FieldSelector: "status.phase=Running",
	})
}

func Example_followPart() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := followPart(cluster)
		if err != nil {
			return err
		}
		return running(ctx, pods, func() error {
			n, err := pods.Snapshot().Len()
			fmt.Println(n)
			return err
		})
	}, pod("train-0", "train", "n1"), pod("web-0", "web", "n1"))
	// Output: 1
}

func indexByField(ctx context.Context, cluster *kube.Cluster) error {
	pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
	if err != nil {
		return err
	}
	byNode, err := informer.IndexField(pods, "spec.nodeName") // reads bytes, decodes nothing
	if err != nil {
		return err
	}
	byImage := informer.IndexByEach(pods, func(p *corev1.Pod) (images []string) {
		for i := range p.Spec.Containers {
			images = append(images, p.Spec.Containers[i].Image)
		}
		return images
	})
	return running(ctx, pods, func() error {
		now := pods.Snapshot()
		onNode, err := byNode.Keys(now, "n1")
		if err != nil {
			return err // informer.ErrNotSynced: a read never shows a part of the objects as all of them
		}
		withImage, err := byImage.Len(now, "web")
		fmt.Println("on n1:", slices.Collect(onNode))
		fmt.Println("with image web:", withImage)
		return err
	})
}

func Example_indexByField() {
	with(indexByField, pod("train-0", "train", "n1"), pod("web-0", "web", "n1"), pod("web-1", "web", "n2"))
	// Output:
	// on n1: [ml/train-0 ml/web-0]
	// with image web: 2
}

func metadataOnly(ctx context.Context, cluster *kube.Cluster) error {
	pods, err := informer.Watch[metav1.PartialObjectMetadata](cluster, informer.Config{Resource: "pods"})
	if err != nil {
		return err
	}
	return running(ctx, pods, func() error {
		pod, found, err := pods.Snapshot().Get(wire.Key{Namespace: "ml", Name: "train-0"})
		if err == nil && found {
			fmt.Println(pod.Labels["app"])
		}
		return err
	})
}

func Example_metadataOnly() {
	with(metadataOnly, pod("train-0", "train", "n1"))
	// Output: train
}

func customType(ctx context.Context, cluster *kube.Cluster) error {
	jobs, err := informer.Watch[TrainJob](cluster, informer.Config{GroupVersion: GroupVersion})
	if err != nil {
		return err
	}
	return running(ctx, jobs, func() error {
		for job, err := range jobs.Snapshot().All() {
			if err != nil {
				return err
			}
			fmt.Println(job.Name, job.Spec.Replicas)
		}
		return nil
	})
}

func Example_customType() {
	with(customType, trainJob("bert", 4))
	// Output: bert 4
}

// trainJob returns a TrainJob.
func trainJob(name string, replicas int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "TrainJob",
		"metadata": map[string]any{"namespace": "ml", "name": name}, "spec": map[string]any{"replicas": replicas},
	}}
}

func typeUnknownAtCompileTime(ctx context.Context, cluster *kube.Cluster, resource string) error {
	objects, err := informer.Watch[unstructured.Unstructured](cluster, informer.Config{Resource: resource})
	if err != nil {
		return err
	}
	return running(ctx, objects, func() error {
		for obj, err := range objects.Snapshot().All() {
			if err != nil {
				return err
			}
			fmt.Println(obj.GetKind(), obj.GetName())
		}
		return nil
	})
}

func Example_typeUnknownAtCompileTime() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		return typeUnknownAtCompileTime(ctx, cluster, "trainjobs.example.com")
	}, trainJob("bert", 4))
	// Output: TrainJob bert
}

func oneInstant(ctx context.Context, cluster *kube.Cluster) error {
	factory := informer.NewFactory(cluster, informer.FactoryConfig{})
	pods, err := informer.For[corev1.Pod](factory, informer.Config{})
	if err != nil {
		return err
	}
	namespaces, err := informer.For[corev1.Namespace](factory, informer.Config{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- factory.Run(ctx) }()
	if err = factory.WaitForSync(ctx); err == nil {
		view := factory.View() // both types at one instant
		p, podErr := pods.In(view).Len()
		n, namespaceErr := namespaces.In(view).Len()
		fmt.Println(p, "pod in", n, "namespaces")
		err = errors.Join(podErr, namespaceErr)
	}
	stop()
	return errors.Join(err, <-ended)
}

func Example_oneInstant() {
	with(oneInstant, pod("train-0", "train", "n1"))
	// Output: 1 pod in 4 namespaces
}

func keepLess(cluster *kube.Cluster) (*informer.Informer[corev1.Pod], error) {
	return informer.Watch[corev1.Pod](cluster, informer.Config{
		Transform: informer.Transform(func(p *corev1.Pod) error {
			p.Annotations = nil
			p.Spec.Containers = nil
			return nil
		}),
	})
}

func Example_keepLess() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := keepLess(cluster)
		if err != nil {
			return err
		}
		return running(ctx, pods, func() error {
			pod, _, err := pods.Snapshot().Get(wire.Key{Namespace: "ml", Name: "train-0"})
			if err == nil {
				fmt.Println(pod.Spec.NodeName, len(pod.Spec.Containers))
			}
			return err
		})
	}, pod("train-0", "train", "n1"))
	// Output: n1 0
}

func startWithoutList(cluster *kube.Cluster, dir string) (*informer.Informer[corev1.Pod], error) {
	return informer.Watch[corev1.Pod](cluster, informer.Config{
		WarmStart: informer.WarmStart{Path: filepath.Join(dir, "pods.snapshot")},
	})
}

func Example_startWithoutList() {
	cook(func(k kitchen) error {
		dir, err := os.MkdirTemp("", "vedette")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		for range 2 {
			pods, err := startWithoutList(k.cluster, dir)
			if err != nil {
				return err
			}
			if err := running(k.ctx, pods, func() error { return nil }); err != nil {
				return err
			}
		}
		lists := 0
		for _, r := range k.server.Requests() {
			if r.Resource.Resource == "pods" && (r.Verb == "list" || r.Streaming()) {
				lists++
			}
		}
		fmt.Println("lists in two runs:", lists)
		return nil
	}, pod("train-0", "train", "n1"))
	// Output: lists in two runs: 1
}

func severalClusters(ctx context.Context, east, west *kube.Cluster) error {
	pods, err := informer.Across[corev1.Pod](informer.Config{})
	if err != nil {
		return err
	}
	if err := errors.Join(pods.AddCluster("east", east), pods.AddCluster("west", west)); err != nil {
		return err
	}
	return running(ctx, pods, func() error {
		keys, err := pods.Snapshot().Keys()
		for key := range keys {
			fmt.Println(key.Cluster, key.Namespace, key.Name)
		}
		return err
	})
}

func Example_severalClusters() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		return severalClusters(ctx, cluster, cluster)
	}, pod("train-0", "train", "n1"))
	// Output:
	// east ml train-0
	// west ml train-0
}
