package logkeeper_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
)

// TestEnd: the last lines of each container are stored when it ends, with the facts about
// its end.
func TestEnd(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(func(cfg *logkeeper.Config) { cfg.Lines = 3 }, "jobs")
	c.create(newPod("p", "main", "side"))
	c.say("p", "main", "one\ntwo\nthree\nfour\nfive")
	c.say("p", "side", "beside\n")
	c.end("p", "main", 137)
	log, text := c.store.complete(t, "p/main/0")
	if text != "three|four|five" {
		t.Errorf("kept %q, want three|four|five", text)
	}
	if log.ExitCode != 137 || log.Reason != "Error" || log.Node != "node-0" || log.OwnerKind != "Job" || log.OwnerName != "train" ||
		log.JobUID != "uid-train" || log.ClusterUID == "" || log.PodUID == "" || log.Ended.IsZero() || log.Started.IsZero() || log.Lost != "" {
		t.Errorf("kept as %+v, want the exit code, node, owner and job of the container", log.Log)
	}
	if _, found := c.store.get("p/side/0"); found {
		t.Error("the log of a container that runs was stored")
	}
	c.end("p", "side", 0)
	if _, text := c.store.complete(t, "p/side/0"); text != "beside" {
		t.Errorf("kept %q, want beside", text)
	}
	c.eventually("counted", func() bool { return c.Stats().Kept == 2 })
	if s := c.Stats(); s.Pods != 1 || s.Stored.Count != 2 || s.Held != 0 || s.HeldBytes != 0 || len(s.Lost) != 0 {
		t.Errorf("got %+v, want one Pod, two logs stored, nothing held and nothing lost", s)
	}
}

// TestRefusedNamespace: a namespace that the server refuses does not affect the logs of
// another one.
func TestRefusedNamespace(t *testing.T) {
	c := serve(t, apitest.Config{})
	if _, err := c.Inject(apitest.Fault{Match: apitest.Match{Resource: "pods", Namespace: "secret"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0))}); err != nil {
		t.Fatal(err)
	}
	c.start(func(cfg *logkeeper.Config) { cfg.Namespaces = []string{"ml", "secret"} }, "jobs")
	c.create(newPod("p", "main"))
	c.say("p", "main", "one")
	c.eventually("the Pod is known", func() bool { return c.Stats().Pods == 1 })
	c.end("p", "main", 0)
	if _, text := c.store.complete(t, "p/main/0"); text != "one" || c.Stats().Synced {
		t.Errorf("kept %q, synced %v, want one, false", text, c.Stats().Synced)
	}
}

// TestOthersAreLeftAlone: no logs of unselected types are requested.
func TestOthersAreLeftAlone(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(nil, "pytorchjobs.kubeflow.org", "namespace=chosen")
	c.create(newPod("p", "main"))
	chosen := newPod("q", "main")
	chosen.Namespace = "chosen"
	c.create(chosen)
	c.say("p", "main", "secret\n")
	c.end("p", "main", 0)
	if _, err := apitest.Modify(c.Server, chosen, func(p *corev1.Pod) { s := status(p, "main"); s.State = ended(s, 0) }); err != nil {
		t.Fatal(err)
	}
	c.store.complete(t, "q/main/0")
	if n := c.asked(func(r apitest.Request) bool { return r.Namespace == "ml" }); n > 0 {
		t.Errorf("%d requests for the log of a pod that is not selected", n)
	}
	if _, found := c.store.get("p/main/0"); found {
		t.Error("the log of a pod that is not selected was stored")
	}
}

// TestRestarts: each run of a restarted container has its own log.
func TestRestarts(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(nil, "jobs")
	p := newPod("p", "main")
	p.Spec.RestartPolicy = corev1.RestartPolicyAlways
	c.create(p)
	for i, text := range []string{"first", "second", "third"} {
		c.say("p", "main", text+"\n")
		c.restart("p", "main")
		id := "p/main/" + string(rune('0'+i))
		if _, got := c.store.complete(t, id); got != text {
			t.Errorf("%s: kept %q, want %q", id, got, text)
		}
	}
	// In backoff the container waits, and the restart count is incremented later.
	c.say("p", "main", "fourth\n")
	c.modify("p", func(p *corev1.Pod) {
		s := status(p, "main")
		s.LastTerminationState = ended(s, 1)
		s.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	})
	if _, got := c.store.complete(t, "p/main/3"); got != "fourth" {
		t.Errorf("kept %q, want fourth", got)
	}
	n := c.asked(nil)
	c.modify("p", func(p *corev1.Pod) {
		s := status(p, "main")
		s.RestartCount, s.ContainerID = 4, "id://4"
		s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now().Rfc3339Copy()}}
	})
	c.say("p", "main", "fifth\n")
	c.end("p", "main", 0)
	if _, got := c.store.complete(t, "p/main/4"); got != "fifth" {
		t.Errorf("kept %q, want fifth", got)
	}
	if more := c.asked(nil) - n; more != 1 {
		t.Errorf("%d requests for one end", more)
	}
}

// TestRunsThatNobodySaw: runs that ended unobserved are stored as lost.
func TestRunsThatNobodySaw(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(nil, "jobs")
	c.create(newPod("p", "main"))
	c.restart("p", "main")
	c.store.complete(t, "p/main/0")
	c.modify("p", func(p *corev1.Pod) {
		s := status(p, "main")
		s.RestartCount, s.LastTerminationState = 3, ended(s, 1)
		s.LastTerminationState.Terminated.ContainerID = "id://other"
	})
	for _, id := range []string{"p/main/1"} {
		log := c.store.until(t, id, isLost)
		if log.Complete || !strings.Contains(log.Lost, "ran again") {
			t.Errorf("%s: got %+v, want the log lost because the container ran again", id, log.Log)
		}
	}
	c.store.until(t, "p/main/2", func(s stored) bool { return true })
}

// TestDeletion: the log of a container whose pod is being deleted is read immediately, and
// again when it ends.
func TestDeletion(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(nil, "jobs")
	p := newPod("p", "main")
	p.Finalizers = []string{"test/stay"}
	c.create(p)
	c.say("p", "main", "before\n")
	if err := c.Delete(p); err != nil {
		t.Fatal(err)
	}
	log := c.store.until(t, "p/main/0", func(s stored) bool { return len(s.lines) > 0 })
	if log.Complete {
		t.Error("the log of a container that runs is called complete")
	}
	c.say("p", "main", "after\n")
	c.end("p", "main", 143)
	if _, text := c.store.complete(t, "p/main/0"); text != "before|after" {
		t.Errorf("kept %q, want before|after", text)
	}
}

// TestPodGone: if a pod is deleted before its log can be read, the stored log has the
// loss.
func TestPodGone(t *testing.T) {
	c := serve(t, apitest.Config{})
	hang, err := c.Inject(apitest.Fault{Times: apitest.Always, Match: apitest.Match{Where: isLog}, Action: apitest.Respond(apitest.Failure(500, 0))})
	if err != nil {
		t.Fatal(err)
	}
	c.keep(nil, "jobs")
	c.create(newPod("p", "main", "side"))
	c.end("p", "main", 1)
	<-hang.Struck()
	if err := c.Delete(newPod("p")); err != nil {
		t.Fatal(err)
	}
	log := c.store.until(t, "p/main/0", isLost)
	if log.Complete || log.ExitCode != 1 || !strings.Contains(log.Lost, "node") {
		t.Errorf("got %+v, want the log lost because of the node, exit code 1", log.Log)
	}
	if log := c.store.until(t, "p/side/0", isLost); log.Complete || !strings.Contains(log.Lost, "deleted") {
		t.Errorf("got %+v, want the log lost because the Pod was deleted", log.Log)
	}
	c.eventually("counted", func() bool {
		s := c.Stats()
		return s.Lost[logkeeper.NodeUnreachable] == 1 && s.Lost[logkeeper.PodGone] == 1 && s.Waiting == 0
	})
	if n := strings.Count(c.log.String(), "logs on a node cannot be read"); n != 1 {
		t.Errorf("got %d lines about the node, want 1:\n%v", n, c.log)
	}
}

// TestDeletedWhileRetried: a log is lost, and the loss is stored, if its pod is deleted
// while the log of its running container cannot be read.
func TestDeletedWhileRetried(t *testing.T) {
	c := serve(t, apitest.Config{})
	if _, err := c.Inject(apitest.Fault{Times: apitest.Always, Match: apitest.Match{Where: isLog}, Action: apitest.Respond(apitest.Failure(500, 0))}); err != nil {
		t.Fatal(err)
	}
	c.keep(nil, "jobs")
	c.deleting("p")
	c.eventually("a retry", func() bool { s := c.Stats(); return s.Retries > 0 && s.Waiting == 1 })
	c.modify("p", func(p *corev1.Pod) { p.Finalizers = nil }) // delete the pod
	if log := c.store.until(t, "p/main/0", isLost); log.Complete {
		t.Errorf("got %+v, want a lost log", log.Log)
	}
	c.eventually("counted once", func() bool {
		s := c.Stats()
		return s.Lost[logkeeper.NodeUnreachable]+s.Lost[logkeeper.PodGone] == 1
	})
}

// TestDeletedWhileRead: a log is lost, and the loss is stored, if its run ends during a
// fetch, and its pod is deleted before the next one.
func TestDeletedWhileRead(t *testing.T) {
	c := serve(t, apitest.Config{})
	hang, err := c.Inject(apitest.Fault{Times: apitest.Always, Match: apitest.Match{Where: isLog}, Action: apitest.Hang()})
	if err != nil {
		t.Fatal(err)
	}
	c.keep(nil, "jobs")
	c.deleting("p")
	c.eventually("the log is fetched and followed", func() bool { return hang.Hits() == 2 })
	c.end("p", "main", 1)
	c.modify("p", func(p *corev1.Pod) { p.Finalizers = nil }) // delete the pod
	c.eventually("the deletion is known", func() bool { return c.Stats().Pods == 0 })
	hang.Release()
	if log := c.store.until(t, "p/main/0", isLost); log.Complete || log.ExitCode != 1 {
		t.Errorf("got %+v, want a lost log with exit code 1", log.Log)
	}
}

// deleting creates a pod with a running container that is being deleted.
func (c *cluster) deleting(name string) {
	c.Helper()
	p := newPod(name, "main")
	p.Finalizers = []string{"test/stay"}
	c.create(p)
	if err := c.Delete(p); err != nil {
		c.Fatal(err)
	}
}

func isLog(r apitest.Request) bool { return r.Subresource == "log" }

// TestNeverStarted: for a container without a log, the loss is stored without a request.
func TestNeverStarted(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(nil, "jobs")
	c.create(newPod("p", "main", "side"))
	c.modify("p", func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodFailed
		status(p, "main").State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 128, Reason: "StartError"}}
		status(p, "side").State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}
	})
	for id, want := range map[string]string{"p/main/0": "StartError", "p/side/0": "ImagePullBackOff"} {
		if log := c.store.until(t, id, isLost); log.Complete || !strings.Contains(log.Lost, want) || !strings.Contains(log.Lost, "did not start") {
			t.Errorf("got %+v, want the log lost because the container did not start: %s", log.Log, want)
		}
	}
	if n := c.asked(nil); n > 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

// TestStart: logs of containers that ended while no keeper ran are fetched, unless they
// are already stored.
func TestStart(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.keep(nil, "jobs")
	c.create(newPod("p", "main"))
	c.say("p", "main", "first\n")
	c.end("p", "main", 0)
	c.store.complete(t, "p/main/0")
	c.stop()
	c.create(newPod("q", "main"))
	c.say("q", "main", "second\n")
	c.end("q", "main", 0)
	before := c.asked(nil)
	c.keep(nil, "jobs")
	if _, text := c.store.complete(t, "q/main/0"); text != "second" {
		t.Errorf("kept %q, want second", text)
	}
	if n := c.asked(nil) - before; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	c.eventually("counted", func() bool { s := c.Stats(); return s.Duplicates == 1 && s.Kept == 1 })
}

// TestDatabaseAway: logs wait in memory, within the limit, and are stored later.
func TestDatabaseAway(t *testing.T) {
	c := serve(t, apitest.Config{})
	away := errors.New("no database")
	c.store.fail(away)
	c.keep(func(cfg *logkeeper.Config) { cfg.Bytes, cfg.Lines, cfg.Hold = 10_000, 10, 40_000 }, "jobs")
	const pods = 20
	for i := range pods {
		name := "p" + string(rune('a'+i))
		c.create(newPod(name, "main"))
		c.say(name, "main", strings.Repeat("x", 9000)+"\n")
		c.end(name, "main", 0)
	}
	c.eventually("the shelf is full", func() bool { return c.Stats().HeldBytes > 25_000 })
	c.eventually("the fault is logged", func() bool { return strings.Contains(c.log.String(), "no database") })
	if s := c.Stats(); s.HeldBytes > 40_000 || s.Kept > 0 || s.Failing.IsZero() {
		t.Errorf("got %+v, want at most 40000 bytes held, no log kept, and the fault", s)
	}
	c.store.fail(nil)
	for i := range pods {
		c.store.complete(t, "p"+string(rune('a'+i))+"/main/0")
	}
	c.eventually("all is given back", func() bool { s := c.Stats(); return s.HeldBytes == 0 && s.Failing.IsZero() })
	if n := strings.Count(c.log.String(), "logs cannot be written"); n != 1 {
		t.Errorf("got %d lines about the database, want 1:\n%v", n, c.log)
	}
}

// TestRefusedLog: a log that the database refuses does not block other logs.
func TestRefusedLog(t *testing.T) {
	c := serve(t, apitest.Config{})
	c.store.refused = refuses("bad")
	c.keep(nil, "jobs")
	c.create(newPod("bad", "main"))
	c.end("bad", "main", 0)
	for i := range 10 {
		name := "p" + string(rune('a'+i))
		c.create(newPod(name, "main"))
		c.end(name, "main", 0)
		c.store.complete(t, name+"/main/0")
	}
	attempts := 0
	c.eventually("the log is given up", func() bool {
		attempts++
		name := fmt.Sprintf("q-%d", attempts)
		c.create(newPod(name, "main"))
		c.end(name, "main", 0)
		c.store.complete(t, name+"/main/0")
		return c.Stats().Lost[logkeeper.Unwritten] == 1
	})
	c.eventually("all is given back", func() bool { return c.Stats().HeldBytes == 0 })
}
