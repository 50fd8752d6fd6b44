package logs_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/conformance/kubelet"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/submit"
)

// TestJob follows a job of three pods while its node and its API server fail, and reads it
// again in order.
func TestJob(t *testing.T) {
	s := newStage(t)
	job := s.submit("train-7", 3)
	o := logs.Options{Cluster: s.cluster, Job: job}
	r := s.follow(o)
	pods := s.running("train-7", 3)
	for i, pod := range pods {
		s.say(pod, fmt.Sprint("begin ", i), "\x1b]52;c;ZXZpbA==\x07 \xff\xfe \u202e", strings.Repeat("long ", 20_000))
	}
	r.until(pods[2], s.wrote[pods[2]][2])

	// Connections are cut, and the node refuses requests and answers slowly, while lines are
	// written.
	s.node.Inject(kubelet.Fault{CutAfter: 3, Times: 4})
	s.node.Inject(kubelet.Fault{Status: 500, Message: "disk on fire", Times: 2})
	s.node.Inject(kubelet.Fault{Slow: 2 * time.Millisecond, Times: 3})
	for i := range 120 {
		s.say(pods[i%3], fmt.Sprint("step ", i))
		if i%20 == 7 {
			s.node.Cut()
		}
	}
	r.until(pods[119%3], "step 119")

	// The API server is killed and restarted.
	s.plane.KillAPIServer()
	s.say(pods[0], "while the server was away")
	if err := s.plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.until(pods[0], "while the server was away")

	// One pod fails, and another one replaces it.
	s.say(pods[1], "cannot continue")
	s.end(pods[1], 1)
	first := s.clock
	again := s.running("train-7", 3)
	if again[1] == pods[1] {
		t.Fatalf("the pods are %q", again)
	}
	s.say(again[1], "from the checkpoint", "done")
	for _, pod := range again {
		s.say(pod, "last line")
		s.end(pod, 0)
	}
	r.rest()
	same(t, r.by, s.wrote)
	s.check(t, o, pods, again[1], first)
}

// check reads a job that has ended, with filters.
func (s *stage) check(t *testing.T, o logs.Options, pods []string, again string, first time.Time) {
	t.Helper()
	read := func(change func(*logs.Options)) (all []logs.Line) {
		t.Helper()
		o := o
		change(&o)
		for l, err := range logs.Read(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Note != "" {
				t.Errorf("note: %s", l.Note)
			}
			all = append(all, l)
		}
		return all
	}
	all := read(func(*logs.Options) {})
	by, last := map[string][]string{}, logs.Line{}
	for _, l := range all {
		by[l.Pod] = append(by[l.Pod], l.Text)
		if l.Attempt < last.Attempt || l.Attempt == last.Attempt && l.Time.Before(last.Time) {
			t.Errorf("%q at %v of attempt %d comes after %q at %v of attempt %d", l.Text, l.Time, l.Attempt, last.Text, last.Time, last.Attempt)
		}
		if (l.Pod == again) != (l.Attempt == 2) {
			t.Errorf("%q of %s is of attempt %d", l.Text, l.Pod, l.Attempt)
		}
		last = l
	}
	same(t, by, s.wrote)
	if got := read(func(o *logs.Options) { o.Attempts = []int{2} }); len(got) != 3 || got[0].Text != "from the checkpoint" {
		t.Errorf("attempt 2: %d lines", len(got))
	}
	if got := read(func(o *logs.Options) { o.Tail = new(2) }); len(got) != 8 || got[7].Text != "last line" {
		t.Errorf("tail: %d lines", len(got))
	}
	if got := read(func(o *logs.Options) { o.Pods, o.Since = pods[:1], first.Add(time.Nanosecond) }); len(got) != 1 || got[0].Text != "last line" {
		t.Errorf("since: %d lines", len(got))
	}
}

// TestOwners reads the logs of what owns a job, and tells jobs of one name apart.
func TestOwners(t *testing.T) {
	s := newStage(t)
	cron, err := s.client.BatchV1().CronJobs(namespace).Create(t.Context(), &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly"},
		Spec: batchv1.CronJobSpec{Schedule: "0 0 1 1 *", Suspend: new(true), JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "busybox"}}}},
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	job := s.submit("nightly-1", 1, *metav1.NewControllerRef(cron, batchv1.SchemeGroupVersion.WithKind("CronJob")))
	pod := s.running("nightly-1", 1)[0]
	s.say(pod, "text")
	r, err := s.cluster.Resolve(t.Context(), "cronjobs")
	if err != nil {
		t.Fatal(err)
	}
	parent := submit.Job{Resource: r, Namespace: namespace, Name: cron.Name, UID: string(cron.UID)}
	for _, of := range []submit.Job{parent, job} {
		if got := s.texts(t, s.cluster, of); got != "text" {
			t.Errorf("%s: %q", of, got)
		}
	}
	job.UID = "another"
	var none *logs.NoLogsError
	for _, err := range logs.Read(t.Context(), logs.Options{Cluster: s.cluster, Job: job}) {
		if !errors.As(err, &none) {
			t.Errorf("a job of the same name: %v", err)
		}
	}
	job = parent
	s.rights(t, job)
	if err := s.client.CoreV1().Pods(namespace).Delete(t.Context(), pod, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.running("nightly-1", 1)
}

// rights creates the roles of refusals until a user without rights may read the logs.
func (s *stage) rights(t *testing.T, job submit.Job) {
	t.Helper()
	config := s.plane.RESTConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: "ann"}
	cluster, err := kube.Connect(kube.Config{REST: config})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	var needed []string
	patience.Until(t, "ann may read logs", func() string {
		for _, err := range logs.Read(t.Context(), logs.Options{Cluster: cluster, Job: job}) {
			var denied *submit.DeniedError
			if errors.As(err, &denied) {
				needed = append(needed, denied.Verb+" "+denied.Resource)
				s.apply(t, denied.Role)
			}
			if err != nil {
				return err.Error()
			}
		}
		return ""
	})
	if got := strings.Join(slices.Compact(needed), ", "); got != "list pods, get jobs.batch, get pods/log" {
		t.Errorf("needed: %s", got)
	}
}

// apply creates a role and its binding. An authorizer needs a moment to see them.
func (s *stage) apply(t *testing.T, text string) {
	t.Helper()
	one, two, ok := strings.Cut(text, "---\n")
	if !ok {
		t.Fatalf("no two documents: %s", text)
	}
	var role rbacv1.Role
	var binding rbacv1.RoleBinding
	if err := errors.Join(yaml.UnmarshalStrict([]byte(one), &role), yaml.UnmarshalStrict([]byte(two), &binding)); err != nil {
		t.Fatal(err)
	}
	rbac := s.client.RbacV1()
	if _, err := rbac.Roles(namespace).Create(t.Context(), &role, metav1.CreateOptions{}); err != nil {
		return // it exists, but the authorizer has not seen it yet
	}
	if _, err := rbac.RoleBindings(namespace).Create(t.Context(), &binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// texts returns the lines of a job, joined.
func (s *stage) texts(t *testing.T, cluster *kube.Cluster, job submit.Job) string {
	t.Helper()
	var all []string
	for l, err := range logs.Read(t.Context(), logs.Options{Cluster: cluster, Job: job}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l.Text+l.Note)
	}
	return strings.Join(all, "\n")
}
