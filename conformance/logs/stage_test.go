package logs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/kubelet"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/submit"
)

const namespace = "default"

// stage is a control plane whose nodes have logs.
type stage struct {
	t       *testing.T
	plane   *controlplane.Cluster
	node    *kubelet.Kubelet
	client  kubernetes.Interface
	cluster *kube.Cluster
	clock   time.Time           // of the last line that was written
	wrote   map[string][]string // by pod
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, node: kubelet.ForTest(t), clock: time.Now().Add(-time.Hour), wrote: map[string][]string{}}
	s.plane = controlplane.ForTest(t, controlplane.Options{Nodes: 2, KubeletPort: s.node.Port()})
	var err error
	if s.client, err = kubernetes.NewForConfig(s.plane.RESTConfig()); err != nil {
		t.Fatal(err)
	}
	if s.cluster, err = kube.Connect(kube.Config{REST: s.plane.RESTConfig()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.cluster.Close)
	return s
}

// quick are annotations with which kwok starts a pod at once, and keeps it running for an
// hour.
var quick = map[string]string{
	"pod-create.stage.kwok.x-k8s.io/delay": "50ms", "pod-create.stage.kwok.x-k8s.io/jitter-delay": "60ms",
	"pod-ready.stage.kwok.x-k8s.io/delay": "50ms", "pod-ready.stage.kwok.x-k8s.io/jitter-delay": "60ms",
	"pod-complete.stage.kwok.x-k8s.io/delay": "1h", "pod-complete.stage.kwok.x-k8s.io/jitter-delay": "2h",
}

// submit creates an indexed Job with a number of pods.
func (s *stage) submit(name string, pods int32, owners ...metav1.OwnerReference) submit.Job {
	s.t.Helper()
	made, err := s.client.BatchV1().Jobs(namespace).Create(s.t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners},
		Spec: batchv1.JobSpec{
			Parallelism: &pods, Completions: &pods, CompletionMode: new(batchv1.IndexedCompletion),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: quick},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers:    []corev1.Container{{Name: "main", Image: "busybox"}},
				},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := s.cluster.Resolve(s.t.Context(), "jobs")
	if err != nil {
		s.t.Fatal(err)
	}
	return submit.JobOf(r, &unstructured.Unstructured{Object: object})
}

// running waits until a number of pods of a job run, and returns their names in the order
// of their indexes.
func (s *stage) running(job string, want int) []string {
	s.t.Helper()
	var names []string
	patience.Until(s.t, fmt.Sprintf("%d pods of %s run", want, job), func() string {
		all, err := s.client.CoreV1().Pods(namespace).List(s.t.Context(), metav1.ListOptions{LabelSelector: "job-name=" + job})
		if err != nil {
			return err.Error()
		}
		names = make([]string, want)
		n := 0
		for i := range all.Items {
			var index int
			if _, err := fmt.Sscan(all.Items[i].Annotations["batch.kubernetes.io/job-completion-index"], &index); err != nil {
				return err.Error()
			}
			if all.Items[i].Status.Phase == corev1.PodRunning && index < want {
				names[index] = all.Items[i].Name
				n++
			}
		}
		if n != want {
			return fmt.Sprintf("%d of %d", n, len(all.Items))
		}
		return ""
	})
	return names
}

// say writes lines of a pod, a millisecond apart.
func (s *stage) say(pod string, lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		s.clock = s.clock.Add(time.Millisecond)
		if err := s.node.WriteAt(s.clock, namespace, pod, "main", line+"\n"); err != nil {
			s.t.Fatal(err)
		}
		s.wrote[pod] = append(s.wrote[pod], line)
	}
}

// end ends the pod, on its node and then in the cluster.
func (s *stage) end(pod string, exit int32) {
	s.t.Helper()
	if err := s.node.End(namespace, pod, "main"); err != nil {
		s.t.Fatal(err)
	}
	phase := corev1.PodSucceeded
	if exit != 0 {
		phase = corev1.PodFailed
	}
	patch, err := json.Marshal(map[string]any{"status": corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, FinishedAt: metav1.Now(), ContainerID: "kwok://1"}},
	}}}})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.client.CoreV1().Pods(namespace).Patch(s.t.Context(), pod, types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		s.t.Fatal(err)
	}
}

// reading is a reader on another goroutine.
type reading struct {
	t     *testing.T
	lines chan logs.Line
	err   error
	notes []string
	by    map[string][]string // texts by pod
}

func (s *stage) follow(o logs.Options) *reading {
	o.Follow = true
	r := &reading{t: s.t, lines: make(chan logs.Line), by: map[string][]string{}}
	go func() {
		defer close(r.lines)
		for l, err := range logs.Read(s.t.Context(), o) {
			if err != nil {
				r.err = err
				return
			}
			r.lines <- l
		}
	}()
	return r
}

func (r *reading) take(l logs.Line) {
	if l.Note != "" {
		r.notes = append(r.notes, l.Note)
		return
	}
	r.by[l.Pod] = append(r.by[l.Pod], l.Text)
}

// until reads until it has a line of a pod.
func (r *reading) until(pod, text string) {
	r.t.Helper()
	for {
		l := patience.Receive(r.t, fmt.Sprintf("the line %q of %s", text, pod), r.lines, func() string {
			return fmt.Sprintf("%d lines of it so far, notes %q", len(r.by[pod]), r.notes)
		})
		r.take(l)
		if l.Pod == pod && l.Text == text {
			return
		}
	}
}

// rest reads to the end.
func (r *reading) rest() {
	r.t.Helper()
	for l := range r.lines {
		r.take(l)
	}
	if r.err != nil {
		r.t.Error(r.err)
	}
}

// same compares the lines of each pod.
func same(t *testing.T, got, want map[string][]string) {
	t.Helper()
	for pod, lines := range want {
		if g, w := strings.Join(got[pod], "\n"), strings.Join(lines, "\n"); g != w {
			t.Errorf("%s: %d lines instead of %d:\n%.2000q\n%.2000q", pod, len(got[pod]), len(lines), g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d pods instead of %d", len(got), len(want))
	}
}
