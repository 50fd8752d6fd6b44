package wire

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
)

// clusterPod returns the i-th pod of a cluster, one of twenty pods of a Deployment, like
// the pods of the bench module, without managedFields. It has 3.4 KB in protobuf.
func clusterPod(i int) kruntime.Object {
	group := i / 20
	app := fmt.Sprintf("service-%04d", group)
	at := metav1.NewTime(time.Unix(1_760_000_000+int64(i), 0))
	seconds := int64(300)
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("%s-%08x-%05x", app, uint32(group)*2654435761, i*40503%(1<<20)), GenerateName: app + "-", Namespace: fmt.Sprintf("team-%02d", group%50),
		UID: types.UID(fmt.Sprintf("%08x-%04x-4000-8000-%012x", uint32(i)*2654435761, i%(1<<16), i)), ResourceVersion: fmt.Sprint(1_000_000 + i), CreationTimestamp: at,
		Labels:          map[string]string{"app": app, "app.kubernetes.io/name": app, "app.kubernetes.io/managed-by": "Helm", "pod-template-hash": fmt.Sprintf("%08x", uint32(group)*2654435761), "tier": "backend"},
		Annotations:     map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "checksum/config": fmt.Sprintf("%064x", group*7919)},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app, Controller: new(bool), UID: types.UID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", group))}},
	}}
	p.APIVersion, p.Kind = "v1", "Pod"
	for _, name := range []string{"main", "sidecar"} {
		p.Spec.Containers = append(p.Spec.Containers, clusterContainer(app, name))
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: name, Ready: true, Started: new(bool), RestartCount: int32(i % 3), Image: "registry.example.com/" + app + "/" + name + ":v1.2.3",
			ImageID:     fmt.Sprintf("registry.example.com/%s/%s@sha256:%064x", app, name, group),
			ContainerID: fmt.Sprintf("containerd://%064x", i*7), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
		})
	}
	p.Spec.NodeName, p.Spec.ServiceAccountName = fmt.Sprintf("node-%04d", i%500), app
	for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds})
	}
	p.Status.Phase, p.Status.StartTime = corev1.PodRunning, &at
	p.Status.PodIP, p.Status.HostIP = fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255), fmt.Sprintf("192.0.2.%d", i%250)
	for _, kind := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at})
	}
	return p
}

func clusterContainer(app, name string) corev1.Container {
	amounts := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	c := corev1.Container{
		Name: name, Image: "registry.example.com/" + app + "/" + name + ":v1.2.3",
		Args:                   []string{"--log-level=info", "--config=/etc/" + app + "/config.yaml", "--listen=0.0.0.0:8080"},
		Ports:                  []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}, {Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP}},
		Resources:              corev1.ResourceRequirements{Requests: amounts("250m", "256Mi"), Limits: amounts("1", "512Mi")},
		VolumeMounts:           []corev1.VolumeMount{{Name: "config", MountPath: "/etc/" + app}, {Name: "kube-api-access", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
		TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: corev1.TerminationMessageReadFile, ImagePullPolicy: corev1.PullIfNotPresent,
	}
	for i := range 12 {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%02d", i), Value: fmt.Sprintf("value-of-%s-%02d", app, i)})
	}
	c.LivenessProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: corev1.URISchemeHTTP}},
		PeriodSeconds: 10, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 3,
	}
	c.ReadinessProbe = c.LivenessProbe
	return c
}

// clusterNode returns a node with its images.
func clusterNode(i int) kruntime.Object {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%04d", i), UID: types.UID(fmt.Sprintf("uid-%032d", i)), ResourceVersion: fmt.Sprint(i)}}
	n.APIVersion, n.Kind = "v1", "Node"
	n.Labels = map[string]string{"kubernetes.io/hostname": n.Name, "kubernetes.io/arch": "amd64", "topology.kubernetes.io/zone": fmt.Sprintf("zone-%d", i%3)}
	n.Status.Capacity = corev1.ResourceList{"cpu": resource.MustParse("64"), "memory": resource.MustParse(fmt.Sprintf("%dKi", 263_000_000+i)), "pods": resource.MustParse("110")}
	n.Status.Allocatable = n.Status.Capacity
	for k := range 50 {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("registry.example.com/image-%d@sha256:%064x", (i+k)%200, (i+k)%200), fmt.Sprintf("registry.example.com/image-%d:v1", (i+k)%200)},
			SizeBytes: int64(k) << 20,
		})
	}
	return n
}

// clusterConfig returns a ConfigMap with large values.
func clusterConfig(i int) kruntime.Object {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("config-%d", i), Namespace: "ns"}, Data: map[string]string{}}
	c.APIVersion, c.Kind = "v1", "ConfigMap"
	for k := range 4 {
		c.Data[fmt.Sprintf("file-%d.yaml", k)] = strings.Repeat(fmt.Sprintf("line %d of %d\n", k, i), 500)
	}
	return c
}

// sparseSecret returns an object with few fields beyond the common ones.
func sparseSecret(i int) kruntime.Object {
	s := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{"token": fmt.Append(nil, i)}, ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("secret-%d", i), Namespace: "ns", UID: types.UID(fmt.Sprintf("uid-%032d", i)), ResourceVersion: fmt.Sprint(i), CreationTimestamp: metav1.Unix(1_700_000_000, 0),
	}}
	s.APIVersion, s.Kind = "v1", "Secret"
	return s
}

// uniquePod returns a pod whose strings do not occur in other pods.
func uniquePod(i int) kruntime.Object {
	p := clusterPod(i).(*corev1.Pod)
	p.Labels, p.Annotations = map[string]string{fmt.Sprint("a", i): fmt.Sprint("b", i)}, nil
	for k := range p.Spec.Containers {
		c := &p.Spec.Containers[k]
		*c = corev1.Container{Name: fmt.Sprint(c.Name, i), Image: fmt.Sprint(c.Image, i), Env: c.Env}
		for e := range c.Env {
			c.Env[e] = corev1.EnvVar{Name: fmt.Sprintf("%d_SETTING_%d", i, e), Value: fmt.Sprintf("%d-%d-%d", i, e, k)}
		}
	}
	p.Spec.Tolerations, p.Status = nil, corev1.PodStatus{}
	return p
}

// shapes are realistic objects.
var shapes = map[string]func(i int) kruntime.Object{
	"pod": clusterPod, "node": clusterNode, "config": clusterConfig, "sparse": sparseSecret, "unique": uniquePod,
}

// encodedShapes returns n encoded objects of a shape, and their type.
func encodedShapes(t testing.TB, enc Encoding, shape string, n int) (typ reflect.Type, bodies [][]byte) {
	for i := range n {
		obj := shapes[shape](i)
		typ = reflect.TypeOf(obj).Elem()
		if enc == Protobuf {
			bodies = append(bodies, mustMarshal(t, obj.(marshaler)))
		} else {
			bodies = append(bodies, encode(t, enc, obj))
		}
	}
	return typ, bodies
}

// BenchmarkDecode compares the decoders of this package with the generated code and the
// library for JSON.
func BenchmarkDecode(b *testing.B) {
	const n = 2000
	for _, shape := range []string{"pod", "node", "config", "sparse", "unique"} {
		typ, bodies := encodedShapes(b, Protobuf, shape, n)
		run := func(name string, decode func(body []byte, i int)) {
			b.Run(shape+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					decode(bodies[i%n], i)
				}
			})
		}
		run("protobuf/plan", func(body []byte, _ int) {
			_ = decodeProtobuf(body, reflect.New(typ).Interface().(protoUnmarshaler), private)
		})
		run("protobuf/generated", func(body []byte, _ int) { _ = reflect.New(typ).Interface().(protoUnmarshaler).Unmarshal(body) })
		_, bodies = encodedShapes(b, JSON, shape, n)
		run("json/tree", func(body []byte, _ int) { _ = decodeUnstructured(JSON, body, new(unstructured.Unstructured)) })
		run("json/library", func(body []byte, _ int) {
			_ = kjson.UnmarshalCaseSensitivePreserveInts(body, &new(unstructured.Unstructured).Object)
		})
	}
}

// costOf returns the allocations and bytes per call of n calls.
func costOf(n int, f func(i int)) (allocs, size float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		f(i)
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}

// TestDecodeAllocations limits the cost of a decoded object, and checks that objects that
// can share nothing cost no more than with the generated code.
func TestDecodeAllocations(t *testing.T) {
	if poison {
		return // the race detector allocates too, and empties pools
	}
	for _, c := range []struct {
		shape  string
		enc    Encoding
		allocs float64
		size   float64
	}{
		{"pod", Protobuf, 56, 10_400},
		{"node", Protobuf, 73, 6_800},
		{"config", Protobuf, 8.5, 36_000},
		{"sparse", Protobuf, 10.5, 850},
		{"unique", Protobuf, 71, 4_700},
		{"pod", JSON, 236, 28_500},
		{"pod", CBOR, 225, 28_000},
	} {
		const n = 400
		typ, bodies := encodedShapes(t, c.enc, c.shape, 2*n)
		decode, other := func(i int) {
			if err := decodeProtobuf(bodies[i], reflect.New(typ).Interface().(protoUnmarshaler), private); err != nil {
				t.Fatal(err)
			}
		}, func(i int) { _ = reflect.New(typ).Interface().(protoUnmarshaler).Unmarshal(bodies[i]) }
		if c.enc != Protobuf {
			decode = func(i int) {
				if err := decodeUnstructured(c.enc, bodies[i], new(unstructured.Unstructured)); err != nil {
					t.Fatal(err)
				}
			}
			other = func(i int) {
				_ = kjson.UnmarshalCaseSensitivePreserveInts(bodies[i], &new(unstructured.Unstructured).Object)
			}
		}
		costOf(n, decode) // the second half has new objects
		allocs, size := costOf(n, func(i int) { decode(n + i) })
		t.Logf("%s in %v: %.1f allocations, %.0f bytes", c.shape, c.enc, allocs, size)
		if allocs > c.allocs || size > c.size {
			t.Errorf("%s in %v: got %.1f allocations and %.0f bytes, want at most %v and %v", c.shape, c.enc, allocs, size, c.allocs, c.size)
		}
		if c.enc == CBOR {
			continue
		}
		otherAllocs, otherSize := costOf(n, func(i int) { other(n + i) })
		t.Logf("%s in %v: %.1f allocations, %.0f bytes with the other decoder", c.shape, c.enc, otherAllocs, otherSize)
		if allocs > otherAllocs+0.5 || size > 1.02*otherSize {
			t.Errorf("%s in %v: got %.1f allocations and %.0f bytes, want at most those of the other decoder: %.1f and %.0f", c.shape, c.enc, allocs, size, otherAllocs, otherSize)
		}
	}
}
