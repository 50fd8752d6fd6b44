package clientgo_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/internal/synced"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/oscompat"
)

// typicalPod returns a pod as clusters have them, without managedFields: 3 KB of protobuf.
func typicalPod(i int) *corev1.Pod {
	name := fmt.Sprintf("web-%05d-%x", i, i*7919)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, Labels: map[string]string{"app": "web", "pod-template-hash": "7c5ddbdf54", "tier": fmt.Sprint(i % 7)},
			Annotations:     map[string]string{"checksum/config": fmt.Sprintf("%064x", i), "prometheus.io/port": "8080", "prometheus.io/scrape": "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "8a5f0dbd-6a6a-4a9b-b3a5-7dbf0e4c3f6f", Controller: ptr.To(true)}},
		},
		Spec:   corev1.PodSpec{NodeName: fmt.Sprintf("node-%d", i%100), ServiceAccountName: "web", RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: ptr.To(int64(30))},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: fmt.Sprintf("10.0.%d.%d", i/250, i%250), StartTime: ptr.To(metav1.Unix(1_700_000_000, 0))},
	}
	for _, part := range []string{"main", "sidecar"} {
		c := corev1.Container{
			Name: part, Image: "registry.example.com/team/" + part + ":v1.2.3", Command: []string{"/bin/" + part}, Args: []string{"--verbose=2", "--listen=:8080"},
			Ports:         []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
			Resources:     corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi")}},
			LivenessProbe: &corev1.Probe{PeriodSeconds: 10, ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz"}}},
			VolumeMounts:  []corev1.VolumeMount{{Name: "config", MountPath: "/etc/config", ReadOnly: true}, {Name: "token", MountPath: "/var/run/secrets/token"}},
		}
		for j := range 12 {
			c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", j), Value: fmt.Sprintf("value-%d-of-%s", j, name)})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: part, Ready: true, Image: c.Image, ImageID: fmt.Sprintf("%s@sha256:%064x", c.Image, i), ContainerID: fmt.Sprintf("containerd://%064x", i),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Unix(1_700_000_000, 0)}},
		})
	}
	for _, volume := range []string{"config", "token"} {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: volume}}}})
	}
	for _, condition := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Unix(1_700_000_000, 0)})
	}
	return pod
}

// heap returns the bytes that are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkLive measures what the advice of Report rests on: cpu-ns/op is one object
// decoded, and decodes/min how many of them in a minute cost as much as the memory that Live takes
// more, at 4 GiB for a core.
func BenchmarkLive(b *testing.B) {
	for _, c := range []struct {
		form string
		make func(*apitest.Server) cache.SharedIndexInformer
	}{
		{"typed", func(srv *apitest.Server) cache.SharedIndexInformer {
			return coreinformers.NewPodInformer(kubernetes.NewForConfigOrDie(clientgo.Wrap(srv.RESTConfig())), "", 0, cache.Indexers{})
		}},
		{"dynamic", func(srv *apitest.Server) cache.SharedIndexInformer {
			return dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(clientgo.Wrap(srv.RESTConfig())), 0).ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer()
		}},
	} {
		b.Run(c.form, func(b *testing.B) { benchmarkLive(b, c.make) })
	}
}

func benchmarkLive(b *testing.B, informerOf func(*apitest.Server) cache.SharedIndexInformer) {
	const pods = 2000
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	for i := range pods {
		if _, err := srv.Create(typicalPod(i)); err != nil {
			b.Fatal(err)
		}
	}
	held := map[informer.Storage]int64{}
	for _, storage := range []informer.Storage{informer.Live, informer.Packed} {
		before := heap()
		inf := clientgo.Adopt(informerOf(srv), clientgo.Options{Storage: storage})
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			inf.RunWithContext(ctx)
		}()
		synced.Wait(b.Context(), inf)
		held[storage] = (heap() - before) / pods
		if storage == informer.Packed {
			measureDecodes(b, inf, pods, float64(held[informer.Live]-held[informer.Packed]))
		}
		cancel()
		<-done
	}
}

// measureDecodes decodes every object again and again.
func measureDecodes(b *testing.B, inf cache.SharedIndexInformer, pods int, more float64) {
	keys := inf.GetStore().ListKeys()
	h, _ := clientgo.HealthOf(inf)
	i, before := 0, oscompat.CPUTime()
	for b.Loop() {
		if _, ok, err := inf.GetStore().GetByKey(keys[i%len(keys)]); !ok || err != nil {
			b.Fatalf("got %v and error %v, want the object", ok, err)
		}
		i++
	}
	const core, minute = 4 << 30, float64(time.Minute)
	decode := float64(oscompat.CPUTime()-before) / float64(b.N)
	b.ReportMetric(decode, "cpu-ns/op")
	b.ReportMetric(float64(h.Stats.RawBytes)/float64(pods), "raw-B")
	b.ReportMetric(more, "live-B")
	b.ReportMetric(more*minute/core/decode, "decodes/min")
}
