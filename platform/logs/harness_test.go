package logs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/submit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// began is the time of the first lines of logs in tests.
var began = time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)

func at(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }

// stage is an API server with a job and pods.
type stage struct {
	t       *testing.T
	server  *apitest.Server
	cluster *kube.Cluster
	job     submit.Job
}

func newStage(t *testing.T, cfg apitest.Config) *stage {
	t.Helper()
	server, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := &stage{t: t, server: server, cluster: cluster}
	s.job = s.newJob("train-7")
	return s
}

func (s *stage) newJob(name string) submit.Job {
	s.t.Helper()
	made := s.create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}})
	return submit.Job{
		Resource:  kube.Resource{Group: "batch", Version: "v1", Name: "jobs", Kind: "Job", Singular: "job", Scope: kube.Namespaced},
		Namespace: "ml", Name: name, UID: string(made.GetUID()), Object: &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job"}},
	}
}

func (s *stage) create(obj apitest.Object) apitest.Object {
	s.t.Helper()
	made, err := s.server.Create(obj)
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

// owned returns a reference to a controller.
func owned(apiVersion, kind, name, uid string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: new(true)}}
}

// pod adds a running pod of the job with a container "main".
func (s *stage) pod(name string, change ...func(*corev1.Pod)) {
	s.t.Helper()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, OwnerReferences: owned("batch/v1", "Job", s.job.Name, s.job.UID)},
		Spec:       corev1.PodSpec{NodeName: "node-0", RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}
	for _, c := range change {
		c(p)
	}
	s.create(p)
}

func (s *stage) modify(name string, change func(*corev1.Pod)) {
	s.t.Helper()
	if _, err := apitest.Modify(s.server, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}, change); err != nil {
		s.t.Error(err)
	}
}

func (s *stage) remove(name string) {
	s.t.Helper()
	if err := s.server.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}); err != nil {
		s.t.Error(err)
	}
}

// over ends the container "main" and its pod.
func over(exit int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodSucceeded
		if exit != 0 {
			p.Status.Phase = corev1.PodFailed
		}
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: exit, FinishedAt: metav1.NewTime(time.Now().Add(-time.Second)), // an input: the end of a container
		}}
	}
}

// restarted begins the next run of the container "main".
func restarted(p *corev1.Pod) {
	c := &p.Status.ContainerStatuses[0]
	c.RestartCount++
	c.LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}
	c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
}

// finish ends the job.
func (s *stage) finish() {
	s.t.Helper()
	_, err := apitest.Modify(s.server, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: s.job.Name}}, func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	})
	if err != nil {
		s.t.Error(err)
	}
}

// say writes lines of the container "main" of a pod, at a time.
func (s *stage) say(ms int, pod string, lines ...string) {
	s.t.Helper()
	if err := s.server.WriteLogAt(at(ms), "ml", pod, "main", strings.Join(lines, "\n")+"\n"); err != nil {
		s.t.Error(err)
	}
}

// options returns options for the stage's job.
func (s *stage) options() logs.Options { return logs.Options{Cluster: s.cluster, Job: s.job} }

// read returns all lines, in the form "pod#attempt text", notes as "! note".
func (s *stage) read(o logs.Options) []string {
	s.t.Helper()
	lines, err := collect(s.t.Context(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	return lines
}

func collect(ctx context.Context, o logs.Options) (all []string, err error) {
	for l, err := range logs.Read(ctx, o) {
		if err != nil {
			return all, err
		}
		all = append(all, format(l))
	}
	return all, nil
}

func format(l logs.Line) string {
	if l.Note != "" {
		return "! " + l.Note
	}
	kept := ""
	if l.Kept {
		kept = " kept"
	}
	return fmt.Sprintf("%s#%d%s %s", l.Pod, l.Attempt, kept, l.Text)
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// adopt creates an object of a custom type, makes it the controller of a job, and returns it.
func (s *stage) adopt(of apitest.Type, name string, child submit.Job) submit.Job {
	s.t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": of.Group + "/" + of.Version, "kind": of.Kind, "metadata": map[string]any{"namespace": "ml", "name": name},
	}}
	made := s.create(obj)
	_, err := apitest.Modify(s.server, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: child.Name}}, func(j *batchv1.Job) {
		j.OwnerReferences = owned(of.Group+"/"+of.Version, of.Kind, name, string(made.GetUID()))
	})
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := s.cluster.Resolve(s.t.Context(), strings.ToLower(of.Kind))
	if err != nil {
		s.t.Fatal(err)
	}
	return submit.Job{Resource: r, Namespace: "ml", Name: name, UID: string(made.GetUID()), Object: obj}
}
