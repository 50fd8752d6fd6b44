package logs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/submit"
)

func TestLinesAreInOrderOfTime(t *testing.T) {
	s := newStage(t, apitest.Config{})
	for _, name := range []string{"a", "b", "c"} {
		s.pod(name)
	}
	s.say(10, "a", "one")
	s.say(20, "b", "two", "three")
	s.say(15, "c", "between")
	s.say(30, "a", "last")
	same(t, s.read(s.options()), "a#1 one", "c#1 between", "b#1 two", "b#1 three", "a#1 last")
	o := s.options()
	o.Tail = new(1)
	same(t, s.read(o), "c#1 between", "b#1 three", "a#1 last")
	o = s.options()
	o.Since = at(15)
	same(t, s.read(o), "c#1 between", "b#1 two", "b#1 three", "a#1 last")
	o = s.options()
	o.Pods = []string{"b", "c"}
	same(t, s.read(o), "c#1 between", "b#1 two", "b#1 three")
	o.Containers = []string{"other"}
	var none *logs.NoLogsError
	if _, err := collect(t.Context(), o); !errors.As(err, &none) || none.Attempts != 1 {
		t.Errorf("logs of another container: got %v, want a NoLogsError for one attempt", err)
	}
	for range logs.Read(t.Context(), s.options()) {
		break // TestMain checks that the goroutines end
	}
}

func TestAttempts(t *testing.T) {
	s := newStage(t, apitest.Config{})
	s.pod("first", over(1))
	s.say(10, "first", "in the first")
	s.pod("second")
	s.say(20, "second", "in the second")
	s.modify("second", restarted)
	s.say(30, "second", "in the third")
	want := []string{"first#1 in the first", "second#2 in the second", "second#3 in the third"}
	same(t, s.read(s.options()), want...)
	o := s.options()
	o.Attempts = []int{1, 3}
	same(t, s.read(o), want[0], want[2])
	o.Attempts = []int{-1}
	same(t, s.read(o), want[2])
	s.modify("second", restarted)
	s.say(40, "second", "in the fourth")
	same(t, s.read(s.options()), want[0], want[2], "second#4 in the fourth") // the node keeps two
}

func TestPodsOfTheJobOnly(t *testing.T) {
	s := newStage(t, apitest.Config{})
	jobset := apitest.Type{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet", Namespaced: true, Status: true}
	if err := s.server.Register(jobset); err != nil {
		t.Fatal(err)
	}
	s.pod("mine")
	s.pod("namesake", func(p *corev1.Pod) { p.OwnerReferences[0].UID = "another" })
	s.pod("orphan", func(p *corev1.Pod) { p.OwnerReferences = nil })
	child := s.newJob("child")
	s.pod("grandchild", func(p *corev1.Pod) {
		p.OwnerReferences[0].Name, p.OwnerReferences[0].UID = child.Name, types.UID(child.UID)
	})
	s.pod("stray", func(p *corev1.Pod) { // of an earlier job with the name of the child
		p.OwnerReferences[0].Name, p.OwnerReferences[0].UID = child.Name, "earlier"
	})
	for _, name := range []string{"mine", "namesake", "orphan", "grandchild", "stray"} {
		s.say(10, name, "text")
	}
	same(t, s.read(s.options()), "mine#1 text")
	set := s.adopt(jobset, "train-7", child)
	o := s.options()
	o.Job = set
	same(t, s.read(o), "grandchild#1 text")
}

func TestObstacles(t *testing.T) {
	s := newStage(t, apitest.Config{})
	s.pod("waits", func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "no such image: busybocks"}}
	})
	s.pod("pends", func(p *corev1.Pod) {
		p.Spec.NodeName, p.Status.ContainerStatuses = "", nil
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/4 nodes are available"}}
	})
	s.pod("runs")
	s.say(10, "runs", "text")
	same(t, s.read(s.options()), "runs#1 text",
		"! pod pends waits for a node: Unschedulable: 0/4 nodes are available",
		"! container main of pod waits has not started: ErrImagePull: no such image: busybocks")
}

// TestNothingStarted: a job whose containers have not started has no logs.
func TestNothingStarted(t *testing.T) {
	s := newStage(t, apitest.Config{})
	s.pod("new", func(p *corev1.Pod) { p.Status = corev1.PodStatus{Phase: corev1.PodPending} })
	for _, o := range []logs.Options{s.options(), func() logs.Options { o := s.options(); o.Containers = []string{"main"}; return o }()} {
		var none *logs.NoLogsError
		if _, err := collect(t.Context(), o); !errors.As(err, &none) || strings.Contains(err.Error(), "asked for") != (len(o.Containers) > 0) {
			t.Errorf("containers %v: got %v, want a NoLogsError that names the containers asked for", o.Containers, err)
		}
	}
}

func TestNoLogs(t *testing.T) {
	s := newStage(t, apitest.Config{})
	var none *logs.NoLogsError
	if _, err := collect(t.Context(), s.options()); !errors.As(err, &none) || none.Job != "job/train-7" || none.Kept {
		t.Errorf("got %v, want a NoLogsError for job/train-7", err)
	}
	for name, change := range map[string]func(*logs.Options){
		"no source": func(o *logs.Options) { o.Cluster = nil }, "no UID": func(o *logs.Options) { o.Job.UID = "" },
		"tail": func(o *logs.Options) { o.Tail = new(-1) }, "attempt": func(o *logs.Options) { o.Attempts = []int{0} },
	} {
		o := s.options()
		change(&o)
		if _, err := collect(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDenied(t *testing.T) {
	for _, test := range []struct{ verb, sub, resource string }{{"list", "", "pods"}, {"get", "log", "pods/log"}, {"watch", "", "pods"}} {
		s := newStage(t, apitest.Config{Authorize: func(r apitest.Request) error {
			if r.Resource.Resource == "pods" && string(r.Verb) == test.verb && r.Subresource == test.sub {
				return errors.New(`User "anonymous" cannot do that`)
			}
			return nil
		}})
		s.pod("a")
		s.say(10, "a", "text")
		o := s.options()
		o.Follow = test.verb == "watch"
		_, err := collect(t.Context(), o)
		var denied *submit.DeniedError
		if !errors.As(err, &denied) || denied.Resource != test.resource || denied.Verb != test.verb || !strings.Contains(denied.Role, test.resource) {
			t.Errorf("without %s: got %v, want it denied with a Role", test.verb, err)
		}
	}
}

// TestOtherJobsAreNotRead: pods of other jobs of the same type cost no request each.
func TestOtherJobsAreNotRead(t *testing.T) {
	s := newStage(t, apitest.Config{})
	s.pod("mine")
	s.say(10, "mine", "text")
	for i := range 20 {
		other := s.newJob(fmt.Sprintf("other-%d", i))
		s.pod(other.Name+"-pod", func(p *corev1.Pod) {
			p.OwnerReferences = owned("batch/v1", "Job", other.Name, other.UID)
		})
	}
	before := len(s.server.Requests())
	same(t, s.read(s.options()), "mine#1 text")
	for _, r := range s.server.Requests()[before:] {
		if r.Resource.Resource == "jobs" {
			t.Errorf("got the request %s %s %s, want no request for jobs", r.Verb, r.Resource.Resource, r.Name)
		}
	}
}
