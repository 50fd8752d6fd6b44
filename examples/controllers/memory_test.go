package controllers_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/informer"
)

var pods = flag.Int("pods", 0, "measure the memory of podquota with so many Pods; Linux only")

// TestMemory measures both programs of podquota. It runs only with -pods:
//
//	GOWORK=off go test -run TestMemory -v -count=5 . -pods=10000
func TestMemory(t *testing.T) {
	if *pods == 0 {
		return
	}
	each(t, "podquota", []string{"-limit=100"}, func(s *stage) {
		for i := range *pods {
			s.create(realistic(fmt.Sprintf("pod-%05d", i), fmt.Sprintf("team-%d", i%(*pods/100+1))))
		}
		for i := range 101 {
			s.create(realistic(fmt.Sprintf("last-%03d", i), "last"))
		}
		events := follow[eventsv1.Event](s)
		until(s, "the last Pod has an Event", events, func(now informer.Snapshot[eventsv1.Event]) bool {
			for e, err := range now.All() {
				if err == nil && strings.HasPrefix(e.Regarding.Name, "last-") {
					return true
				}
			}
			return false
		})
		s.t.Logf("%d Pods: %s", *pods, usage(s.t, s.pid))
	})
}

// realistic returns a Pod of the size that a Deployment makes, about 3 KB.
func realistic(name, team string) *corev1.Pod {
	p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: meta(name)}
	p.Labels = map[string]string{"team": team, "app.kubernetes.io/name": "train", "pod-template-hash": "5d4f8c7b9d"}
	p.Annotations = map[string]string{"checksum/config": strings.Repeat("0123456789abcdef", 4)}
	container := corev1.Container{Name: "main", Image: "registry.example.com/team/train:v1.2.3", Command: []string{"python", "-m", "train"}}
	for i := range 20 {
		container.Env = append(container.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", i), Value: fmt.Sprintf("value of the setting %d of %s", i, name)})
	}
	container.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("1Gi")}
	p.Spec = corev1.PodSpec{NodeName: "node-" + team, ServiceAccountName: "default", Containers: []corev1.Container{container, container}}
	for _, c := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: c, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()})
	}
	return p
}

// usage returns the memory and the CPU time of a process.
func usage(t *testing.T, pid int) string {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(status)) {
		if name, value, _ := strings.Cut(line, ":"); name == "VmRSS" || name == "VmHWM" {
			found = append(found, name+" "+strings.TrimSpace(value))
		}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	ticks := 0
	for _, field := range strings.Fields(rest)[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return fmt.Sprintf("%s, CPU %d ms", strings.Join(found, ", "), 10*ticks)
}
