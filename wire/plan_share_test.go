package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sibling returns a pod of a template. The name of the template makes its values differ
// from those of other tests.
func sibling(template string, i int) *corev1.Pod {
	container := corev1.Container{
		Name: "main",
		Env:  slices.Repeat([]corev1.EnvVar{{Name: "CONFIG", Value: "value-of-" + template}}, 13), // the allocator's size class has room for one more
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
			"cpu": resource.MustParse("250m"), corev1.ResourceName(template + ".example.com/gpu"): resource.MustParse("1"),
		}},
		LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz/" + template}}},
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%d", template, i), Namespace: "team", UID: "7",
			Labels: map[string]string{"app": template, "tier": "backend-of-the-shop"},
		},
		Spec: corev1.PodSpec{
			Containers:   []corev1.Container{container},
			NodeSelector: map[string]string{"node.example.com/pool-of-machines": template},
		},
	}
}

// siblings decodes n pods of a template.
func siblings(t *testing.T, template string, n int, decode func(Record, any) error) (all []*corev1.Pod) {
	t.Helper()
	for i := range n {
		want, got := sibling(template, i), new(corev1.Pod)
		if err := decode(Record{Encoding: Protobuf, Body: mustMarshal(t, want)}, got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("pod %d: got\n%+v, want\n%+v", i, got, want)
		}
		all = append(all, got)
	}
	return all
}

// TestSiblingsShareValues checks that the third pod of a template shares with the second
// one the values nested in its containers, and no others.
func TestSiblingsShareValues(t *testing.T) {
	pods := siblings(t, "shares", 3, DecodeShared)
	x, y := &pods[1].Spec.Containers[0], &pods[2].Spec.Containers[0]
	if x == y {
		t.Error("the containers are shared")
	}
	if &x.Env[0] != &y.Env[0] {
		t.Error("the environment is not shared")
	}
	if x.LivenessProbe != y.LivenessProbe {
		t.Error("the probe is not shared")
	}
	if reflect.ValueOf(x.Resources.Limits).Pointer() != reflect.ValueOf(y.Resources.Limits).Pointer() {
		t.Error("the limits are not shared")
	}
	for name, maps := range map[string][2]map[string]string{
		"labels":         {pods[1].Labels, pods[2].Labels},
		"a nodeSelector": {pods[1].Spec.NodeSelector, pods[2].Spec.NodeSelector},
	} {
		if reflect.ValueOf(maps[0]).Pointer() == reflect.ValueOf(maps[1]).Pointer() {
			t.Errorf("%s: got a shared value", name)
		}
	}
}

// TestPrivateObjectsShareNoValues checks that the caller may change the objects of
// DecodeInto, even if shared objects of the same template exist.
func TestPrivateObjectsShareNoValues(t *testing.T) {
	siblings(t, "private", 3, DecodeShared)
	pods := siblings(t, "private", 3, DecodeInto)
	for _, pod := range pods {
		c := &pod.Spec.Containers[0]
		c.Env[0].Value, c.Resources.Limits["cpu"], c.LivenessProbe.HTTPGet.Path = "changed", resource.MustParse("9"), "changed"
	}
	siblings(t, "private", 3, DecodeShared)
}

// TestAppendLeavesSiblingsAlone checks that an append to a shared slice copies it.
func TestAppendLeavesSiblingsAlone(t *testing.T) {
	pods := siblings(t, "appends", 3, DecodeShared)
	for i, pod := range pods {
		env := append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: fmt.Sprint(i)})
		defer func() {
			if got := env[len(env)-1].Name; got != fmt.Sprint(i) {
				t.Errorf("pod %d: got the environment of pod %s", i, got)
			}
		}()
	}
}

// TestQuantitiesThatMethodsChangeAreNotShared checks that goroutines that read different
// objects do not race, although String and AsDec of a Quantity write to it.
func TestQuantitiesThatMethodsChangeAreNotShared(t *testing.T) {
	huge := resource.MustParse("123456789012345678901234567890")
	body := mustMarshal(t, &corev1.Pod{Spec: corev1.PodSpec{
		Volumes: []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
			EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMedium(strings.Repeat("m", shareLeast)), SizeLimit: resource.NewQuantity(1<<30, resource.BinarySI)},
		}}},
		Containers: []corev1.Container{{Image: strings.Repeat("i", worthPlan), Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"example.com/many-digits": huge}}}},
	}})
	var wg sync.WaitGroup
	for range 4 {
		pod := new(corev1.Pod)
		if err := DecodeShared(Record{Encoding: Protobuf, Body: body}, pod); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			_ = pod.Spec.Volumes[0].EmptyDir.SizeLimit.AsDec()
			q := pod.Spec.Containers[0].Resources.Limits["example.com/many-digits"]
			q.Add(resource.MustParse("1"))
		})
	}
	wg.Wait()
	pod := new(corev1.Pod)
	if err := DecodeShared(Record{Encoding: Protobuf, Body: body}, pod); err != nil {
		t.Fatal(err)
	}
	if q := pod.Spec.Containers[0].Resources.Limits["example.com/many-digits"]; q.Cmp(huge) != 0 {
		t.Errorf("got quantity %s, want %s", q.String(), huge.String())
	}
}

// TestSharedValuesManyGoroutines checks that concurrent decoders of many templates return
// their own values, although templates replace each other in the table.
func TestSharedValuesManyGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 3000 {
				want, got := sibling(fmt.Sprintf("many-%d", (i/3+g)%700), i), new(corev1.Pod)
				body, err := want.Marshal()
				if err != nil {
					t.Error(err)
					return
				}
				if err := DecodeShared(Record{Encoding: Protobuf, Body: body}, got); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%v: got\n%+v, want\n%+v", err, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}
