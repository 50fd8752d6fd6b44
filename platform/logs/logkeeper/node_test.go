package logkeeper_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
)

// TestHungNode: a node that does not answer does not block other nodes, even if it has
// more pods than the maximum number of fetches.
func TestHungNode(t *testing.T) {
	c := serve(t, apitest.Config{})
	hang, err := c.Inject(apitest.Fault{Times: apitest.Always, Match: apitest.Match{Where: func(r apitest.Request) bool {
		return isLog(r) && strings.HasPrefix(r.Name, "hung")
	}}, Action: apitest.Hang()})
	if err != nil {
		t.Fatal(err)
	}
	c.keep(func(cfg *logkeeper.Config) { cfg.Fetches, cfg.PerNode = 2, 2 }, "jobs")
	for i := range 10 {
		name := fmt.Sprintf("hung-%d", i)
		p := newPod(name, "main")
		p.Spec.NodeName = "hung"
		c.create(p)
		c.end(name, "main", 0)
	}
	c.eventually("all fetches hang", func() bool { return hang.Hits() == 2 })
	for i := range 5 {
		name := fmt.Sprintf("fine-%d", i)
		c.create(newPod(name, "main"))
		c.say(name, "main", name+"\n")
		c.end(name, "main", 0)
		if _, text := c.store.complete(t, name+"/main/0"); text != name {
			t.Errorf("kept %q, want %q", text, name)
		}
	}
	c.eventually("both fetches stall", func() bool { s := c.Stats(); return s.Stalled == 2 && s.Waiting == 8 && s.Fetching == 0 })
	if n := hang.Hits(); n != 2 {
		t.Errorf("%d fetches at once from a node that hangs, want 2", n)
	}
	hang.Release()
	for i := range 10 {
		c.store.complete(t, fmt.Sprintf("hung-%d/main/0", i))
	}
}

// TestSilence: a fetch without an answer ends, and is retried.
func TestSilence(t *testing.T) {
	c := serve(t, apitest.Config{})
	hang, err := c.Inject(apitest.Fault{Times: 1, Match: apitest.Match{Where: isLog}, Action: apitest.Hang()})
	if err != nil {
		t.Fatal(err)
	}
	c.keep(func(cfg *logkeeper.Config) { cfg.Timeout = 50 * time.Millisecond }, "jobs")
	c.create(newPod("p", "main"))
	c.say("p", "main", "text\n")
	c.end("p", "main", 0)
	if _, text := c.store.complete(t, "p/main/0"); text != "text" || hang.Hits() != 1 {
		t.Errorf("kept %q after %d hits", text, hang.Hits())
	}
	c.eventually("told", func() bool {
		return strings.Contains(c.log.String(), "logs on all nodes are read again") || c.Stats().Retries > 0
	})
}

// TestDenied: a missing right is logged once, and logs are read when it is granted.
func TestDenied(t *testing.T) {
	c := serve(t, apitest.Config{})
	denied, err := c.Inject(apitest.Fault{Times: 3, Match: apitest.Match{Where: isLog}, Action: apitest.Respond(apitest.Failure(403, 0))})
	if err != nil {
		t.Fatal(err)
	}
	c.keep(nil, "jobs")
	c.create(newPod("p", "main"))
	c.say("p", "main", "text\n")
	c.end("p", "main", 0)
	c.store.complete(t, "p/main/0")
	if n := strings.Count(c.log.String(), "logs of pods may not be read"); n != 1 || denied.Hits() != 3 {
		t.Errorf("%d lines after %d hits:\n%v", n, denied.Hits(), c.log)
	}
}

// TestTail: lines of a running container are stored, each once, even if its stream breaks.
// Following ends with the container.
func TestTail(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(func(cfg *logkeeper.Config) {
		cfg.Tail, _ = logkeeper.ParseSelection([]string{"jobs"})
		cfg.TailEvery = 10 * time.Millisecond
	})
	c.create(newPod("p", "main"))
	c.say("p", "main", "one\n")
	c.store.until(t, "p/main/0", func(s stored) bool { return textOf(s.lines) == "one" && !s.Complete })
	c.CutLogs(apitest.CutClean)
	c.say("p", "main", "two\n")
	c.store.until(t, "p/main/0", func(s stored) bool { return textOf(s.lines) == "one|two" })
	if n := c.Stats().Tails; n != 1 {
		t.Errorf("got %d tails, want 1", n)
	}
	c.say("p", "main", "three\n")
	c.end("p", "main", 0)
	if _, text := c.store.complete(t, "p/main/0"); text != "one|two|three" {
		t.Errorf("kept %q, want one|two|three", text)
	}
	c.eventually("nothing is followed", func() bool { return c.Stats().Tails == 0 })
}

// TestTailsAreBounded: containers above the limit are read when they end.
func TestTailsAreBounded(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(func(cfg *logkeeper.Config) {
		cfg.Tail, _ = logkeeper.ParseSelection([]string{"jobs"})
		cfg.Tails = 2
	})
	c.create(newPod("p", "one", "two", "three"))
	c.eventually("counted", func() bool { s := c.Stats(); return s.Tails == 2 && s.Untailed == 1 })
	for _, name := range []string{"one", "two", "three"} {
		c.say("p", name, name+"\n")
		c.end("p", name, 0)
		if _, text := c.store.complete(t, "p/"+name+"/0"); text != name {
			t.Errorf("kept %q, want %q", text, name)
		}
	}
}

// TestLastWords: the last lines of a container are stored, although its pod is deleted
// before its log can be fetched.
func TestLastWords(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(nil, "jobs")
	p := newPod("p", "main")
	p.Finalizers = []string{"test/stay"}
	c.create(p)
	c.say("p", "main", "before\n")
	if err := c.Delete(p); err != nil {
		t.Fatal(err)
	}
	c.eventually("it is followed", func() bool { return c.asked(nil) == 2 && c.Stats().Tails == 1 })
	c.say("p", "main", "last words\n")
	c.modify("p", func(p *corev1.Pod) { p.Finalizers = nil }) // delete the pod
	log := c.store.until(t, "p/main/0", func(s stored) bool { return strings.HasSuffix(textOf(s.lines), "last words") })
	if textOf(log.lines) != "before|last words" {
		t.Errorf("kept %q, want before|last words", textOf(log.lines))
	}
}

// TestChain: a pod belongs to the types of all its owners, and its log to the job at their
// end.
func TestChain(t *testing.T) {
	custom := []apitest.Type{
		{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet", Namespaced: true},
		{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob", Namespaced: true},
	}
	c := serve(t, apitest.Config{Types: custom})
	yes := true
	own := func(apiVersion, kind, name string, of uid) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(of), Controller: &yes}}
	}
	make := func(apiVersion, kind, name string, owners []metav1.OwnerReference) uid {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
		u.SetNamespace("ml")
		u.SetName(name)
		u.SetOwnerReferences(owners)
		return uid(c.create(u).GetUID())
	}
	train := make("trainer.kubeflow.org/v1alpha1", "TrainJob", "big", nil)
	set := make("jobset.x-k8s.io/v1alpha2", "JobSet", "big", own("trainer.kubeflow.org/v1alpha1", "TrainJob", "big", train))
	job := make("batch/v1", "Job", "big-node-0", own("jobset.x-k8s.io/v1alpha2", "JobSet", "big", set))
	c.keep(nil, "trainjobs.trainer.kubeflow.org")
	p := newPod("p", "main")
	p.OwnerReferences = own("batch/v1", "Job", "big-node-0", job)
	c.create(p)
	c.create(newPod("q", "main")) // of a Job without an owner
	c.say("p", "main", "text\n")
	c.end("q", "main", 0)
	c.end("p", "main", 0)
	log, _ := c.store.complete(t, "p/main/0")
	if log.OwnerKind != "Job" || log.JobKind != "TrainJob" || log.JobName != "big" || log.JobUID != string(train) {
		t.Errorf("got %+v, want owner Job of the TrainJob big", log.Log)
	}
	if n := c.asked(func(r apitest.Request) bool { return r.Name == "q" }); n > 0 {
		t.Errorf("%d requests for the log of another Job's pod", n)
	}
}

// uid is the UID of an owner.
type uid string

// TestOverflow: logs for which the queue has no room are fetched later.
func TestOverflow(t *testing.T) {
	c := serve(t, apitest.Config{})
	hang, err := c.Inject(apitest.Fault{Times: apitest.Always, Match: apitest.Match{Where: isLog}, Action: apitest.Hang()})
	if err != nil {
		t.Fatal(err)
	}
	c.keep(func(cfg *logkeeper.Config) { cfg.Waiting, cfg.Fetches, cfg.PerNode = 4, 1, 1 }, "jobs")
	for i := range 10 {
		name := fmt.Sprintf("p-%d", i)
		c.create(newPod(name, "main"))
		c.end(name, "main", 0)
	}
	c.eventually("the queue is full", func() bool { return c.Stats().Waiting >= 3 && c.Stats().Stalled == 1 })
	hang.Release()
	for i := range 10 {
		c.store.complete(t, fmt.Sprintf("p-%d/main/0", i))
	}
}

// TestTwoKeepers: two keepers of one database store the same logs, and soon leave fetches
// to each other.
func TestTwoKeepers(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(func(cfg *logkeeper.Config) { cfg.Name = "one" }, "jobs")
	one := c.Keeper
	c.keep(func(cfg *logkeeper.Config) { cfg.Name = "two" }, "jobs")
	const pods = 30
	for i := range pods {
		name := fmt.Sprintf("p-%d", i)
		c.create(newPod(name, "main"))
		c.say(name, "main", name+"\n")
		c.end(name, "main", 0)
		if _, text := c.store.complete(t, name+"/main/0"); text != name {
			t.Errorf("kept %q, want %q", text, name)
		}
	}
	c.eventually("both have all", func() bool {
		a, b := one.Stats(), c.Stats()
		return a.Kept+a.Duplicates == pods && b.Kept+b.Duplicates == pods
	})
}

// TestIllegalConfig: New refuses invalid configurations, and a keeper runs once.
func TestIllegalConfig(t *testing.T) {
	c := serve(t, apitest.Config{})
	all, err := logkeeper.ParseSelection([]string{"pods"})
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]logkeeper.Config{
		"nothing":       {},
		"no selection":  {Cluster: c.kube, Store: c.store},
		"negative":      {Cluster: c.kube, Store: c.store, Keep: all, Lines: -1},
		"a small shelf": {Cluster: c.kube, Store: c.store, Keep: all, Hold: 1000},
	} {
		if _, err := logkeeper.New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c.keep(nil, "pods")
	if err := c.Keeper.Run(context.Background()); !errors.Is(err, logkeeper.ErrRunTwice) {
		t.Errorf("Run: got error %v, want %v", err, logkeeper.ErrRunTwice)
	}
	for _, word := range []string{"namespace=", "namespace=A", "a b", "", "a/b"} {
		if _, err := logkeeper.ParseSelection([]string{word}); err == nil {
			t.Errorf("%q is a selection, want an error", word)
		}
	}
}
