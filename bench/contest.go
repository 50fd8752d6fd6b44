package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// contestants, each against its counterpart.
var contestants = []string{"vedette-protobuf", "clientgo-protobuf", "vedette-unstructured", "clientgo-unstructured"}

// result is what one process measured of itself.
type result struct {
	Wall    time.Duration `json:"wall"`
	CPU     time.Duration `json:"cpu"`
	Heap    uint64        `json:"heap"`    // live after the sync
	Peak    uint64        `json:"peak"`    // resident, over the life of the process
	Alloc   uint64        `json:"alloc"`   // bytes allocated in all
	Mallocs uint64        `json:"mallocs"` // allocations in all
}

// contest syncs once and prints what it took.
func contest(name, url string, pods int) error {
	cfg := &rest.Config{Host: url, QPS: -1}
	begin := map[string]func(context.Context, *rest.Config) (func() int, any){
		"vedette-protobuf":      vedette[corev1.Pod](wire.Codec[corev1.Pod]{}.Protobuf()),
		"vedette-unstructured":  vedette[unstructured.Unstructured](false),
		"clientgo-protobuf":     clientgoTyped,
		"clientgo-unstructured": clientgoDynamic,
	}[name]
	if begin == nil {
		return fmt.Errorf("there is no contestant %q", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := cpuTime(), time.Now()
	synced, keep := begin(ctx, cfg)
	n := synced()
	r := result{Wall: time.Since(began), CPU: cpuTime() - cpu}
	if n != pods {
		return fmt.Errorf("%s has %d pods, want %d", name, n, pods)
	}
	r.Peak = peakRSS()
	runtime.GC()
	runtime.GC()
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	r.Heap = after.HeapAlloc - before.HeapAlloc
	r.Alloc, r.Mallocs = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	runtime.KeepAlive(keep)
	return json.NewEncoder(os.Stdout).Encode(r)
}

// source opens the server of the bench, which has no discovery.
func source(cfg *rest.Config, protobuf bool) reflector.Source {
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	fatal(err)
	selection := kube.Selection{}
	if !protobuf {
		selection.Encoding = kube.JSONOnly
	}
	coll, err := cluster.Collection(kube.Resource{
		Version: "v1", Name: "pods", Kind: "Pod", Scope: kube.Namespaced, Verbs: []string{"list", "watch"},
	}, selection)
	fatal(err)
	return coll
}

func vedette[T any](protobuf bool) func(context.Context, *rest.Config) (func() int, any) {
	return func(ctx context.Context, cfg *rest.Config) (func() int, any) {
		inf := informer.New[T](source(cfg, protobuf), informer.Config{})
		go func() { fatal(inf.Run(ctx)) }()
		return func() int {
			<-inf.Synced()
			return inf.Snapshot().Len()
		}, inf
	}
}

func clientgoTyped(ctx context.Context, cfg *rest.Config) (func() int, any) {
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(cfg)
	fatal(err)
	f := informers.NewSharedInformerFactory(client, 0)
	inf := f.Core().V1().Pods().Informer()
	return wait(ctx, inf), inf
}

func clientgoDynamic(ctx context.Context, cfg *rest.Config) (func() int, any) {
	client, err := dynamic.NewForConfig(cfg)
	fatal(err)
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	inf := dynamicinformer.NewFilteredDynamicInformer(client, gvr, metav1.NamespaceAll, 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, nil).Informer()
	return wait(ctx, inf), inf
}

func wait(ctx context.Context, inf cache.SharedIndexInformer) func() int {
	go inf.RunWithContext(ctx)
	return func() int {
		<-inf.HasSyncedChecker().Done()
		return len(inf.GetStore().ListKeys())
	}
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// cpuTime is what this process has used so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	fatal(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakRSS is the most memory this process has had.
func peakRSS() uint64 {
	text, err := os.ReadFile("/proc/self/status")
	fatal(err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
			fatal(err)
			return kb << 10
		}
	}
	return 0
}
