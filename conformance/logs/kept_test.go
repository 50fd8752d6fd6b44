package logs_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestKeptLogs: while pods of a Job end, fail, restart and are deleted, and a node hangs,
// the end of each log is in the database soon after its container has ended. Logs of
// other pods are not kept, nor are secrets. A recorder that was killed later fetches the
// logs that still exist.
func TestKeptLogs(t *testing.T) {
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k := newKeeping(t, kind)
			kill := k.record(program, "--keep-logs", "jobs")
			k.hang()
			k.load("a", *pods)
			k.compare("with a node that hangs")
			k.lost()
			k.others()
			kill()
			missed := k.start("missed", "node-0", k.owner)
			k.say(missed, "while nobody looked")
			k.end(missed, 0, false)
			kill = k.record(program, "--keep-logs", "jobs")
			k.kept(k.runs[len(k.runs)-1])
			k.runs = nil // it ended while no recorder ran
			k.load("b", *pods)
			k.compare("after a restart")
			k.shown(program)
			kill()
		})
	}
}

// TestTailedLogs: lines of running containers are in the database before the containers
// end, and stay when the node is lost.
func TestTailedLogs(t *testing.T) {
	k := newKeeping(t, "sqlite")
	k.record(gobuild.Program(t, gobuild.Vedette), "--tail-logs", "jobs")
	l := k.start("tailed", "node-0", k.owner)
	k.say(l, "one", "two")
	k.until(l, "lines while it runs", func(log joblog.Log, text []string) bool { return slices.Equal(text, l.lines) && !log.Complete })
	k.say(l, "three")
	k.until(l, "a later line", func(_ joblog.Log, text []string) bool { return slices.Equal(text, l.lines) })
	k.node.Inject(brokenNode)
	k.node.Cut()
	k.remove(l, 0)
	k.until(l, "the loss", func(log joblog.Log, text []string) bool {
		return slices.Equal(text, l.lines) && !log.Complete && log.Lost != ""
	})
}

// shown removes the Job and its pods, and checks that `vedette logs` prints the kept
// lines, and the reasons of losses.
func (k *keeping) shown(program string) {
	k.Helper()
	now := int64(0)
	ctx, options := k.Context(), metav1.DeleteOptions{GracePeriodSeconds: &now}
	k.check(k.client.CoreV1().Pods(keptIn).DeleteCollection(ctx, options, metav1.ListOptions{}))
	background := metav1.DeletePropagationBackground
	k.check(k.client.BatchV1().Jobs(keptIn).Delete(ctx, k.owner.Name, metav1.DeleteOptions{PropagationPolicy: &background}))
	patience.Until(k.T, "kept logs are shown", func() string {
		cmd := exec.CommandContext(ctx, program, "logs", "job/train", "-n", keptIn, "--db", k.url, "--kubeconfig", k.plane.Kubeconfig())
		said, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Sprintf("%v: %s", err, said)
		}
		for _, want := range []string{"a-0 says 7", "b-2 runs again", "a-3 says 7", "terminated", "while nobody looked", "[redacted]", "the pod was deleted before its node could be asked"} {
			if !strings.Contains(string(said), want) {
				return fmt.Sprintf("%q is not in\n%s", want, said)
			}
		}
		if strings.Contains(string(said), "hunter2") || strings.Contains(string(said), "nobody keeps this") {
			return fmt.Sprintf("too much is in\n%s", said)
		}
		return ""
	})
}

// hang ends containers on a node with a kubelet that does not answer.
func (k *keeping) hang() {
	for i := range 8 {
		l := k.start(fmt.Sprintf("hung-%d", i), "hung", k.owner)
		k.end(l, 0, false)
	}
	k.runs = nil // their logs are never kept
}

// lost removes the pods of the node that hangs, and checks that the loss is recorded.
func (k *keeping) lost() {
	k.Helper()
	for i := range 8 {
		pod, err := k.client.CoreV1().Pods(keptIn).Get(k.Context(), fmt.Sprintf("hung-%d", i), metav1.GetOptions{})
		if err != nil {
			k.Fatal(err)
		}
		l := &lived{pod: pod}
		k.remove(l, 0)
		k.until(l, "the loss", func(log joblog.Log, _ []string) bool { return log.Lost != "" && !log.Complete })
	}
}

// others ends a pod without a Job, and checks that its log is not kept.
func (k *keeping) others() {
	k.Helper()
	yes := true
	l := k.start("other", "node-0", metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "web", Controller: &yes})
	k.say(l, "nobody keeps this")
	k.end(l, 0, false)
	k.runs = nil
	after := k.start("after", "node-0", k.owner)
	k.end(after, 0, false)
	k.kept(k.runs[0])
	if logs := k.logs(l); len(logs) > 0 {
		k.Errorf("a log of a type that is not selected is kept: %+v", logs)
	}
	for _, r := range k.node.Requests() {
		if r.Pod == "other" {
			k.Errorf("a log of a type that is not selected was read: %+v", r)
		}
	}
}

// load runs pods, which end in different ways.
func (k *keeping) load(prefix string, pods int) {
	const atOnce = 8
	slots := make(chan struct{}, atOnce)
	var work sync.WaitGroup
	for i := range pods {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			k.live(fmt.Sprintf("%s-%d", prefix, i), i)
		})
	}
	work.Wait()
}

// live runs one pod.
func (k *keeping) live(name string, i int) {
	l := k.start(name, fmt.Sprintf("node-%d", i%2), k.owner)
	for n := range 8 {
		k.say(l, fmt.Sprintf("%s says %d", name, n))
	}
	switch i % 4 {
	case 0:
		k.end(l, 0, false)
	case 1:
		k.say(l, "password=hunter2-"+name)
		l.lines[lines-1] = "redacted"
		k.end(l, 137, false)
	case 2: // each run has its own log
		for run := range 2 {
			next := k.end(l, 1, true)
			patience.Until(k.T, "the run is kept", func() string { return k.problem(k.run(next.pod.Name, run)) })
			l = next
			k.say(l, fmt.Sprintf("%s runs again", name))
		}
		k.end(l, 0, false)
	case 3: // deleted with its Job: the kubelet removes the pod soon after its end
		k.remove(l, 30)
		k.say(l, "terminated")
		k.end(l, 143, false)
		<-time.After(500 * time.Millisecond) // an input: the kubelet removes a pod later than its end
		k.remove(l, 0)
	}
}

// run returns a run that has ended.
func (k *keeping) run(pod string, restart int) *lived {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.runs {
		if l.pod.Name == pod && l.restart == restart {
			return l
		}
	}
	return nil
}

// logs returns the logs of a pod in the database.
func (k *keeping) logs(l *lived) (all []joblog.Log) {
	k.read(func(s *joblog.Store) (err error) {
		all, err = s.Of(k.Context(), joblog.Selection{UIDs: []string{string(l.pod.UID)}})
		return err
	})
	return all
}

// read reads the database.
func (k *keeping) read(f func(*joblog.Store) error) {
	d, err := sqldb.Read(k.Context(), k.url)
	if err != nil {
		k.Error(err)
		return
	}
	defer d.Close()
	if err := f(joblog.New(d, joblog.Limits{}, nil)); err != nil {
		k.Error(err)
	}
}

// text returns the log of a run, and its lines.
func (k *keeping) text(l *lived) (log joblog.Log, text []string) {
	k.read(func(s *joblog.Store) error {
		all, err := s.Of(k.Context(), joblog.Selection{UIDs: []string{string(l.pod.UID)}})
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.Restart != l.restart {
				continue
			}
			log = one
			for line, err := range s.Lines(k.Context(), one) {
				if err != nil {
					return err
				}
				text = append(text, line.Text)
			}
		}
		return nil
	})
	return log, text
}

// problem describes a failure in the log of a run; "" if there is none.
func (k *keeping) problem(l *lived) string {
	log, text := k.text(l)
	switch {
	case !log.Complete || log.Lost != "" && !strings.HasPrefix(log.Lost, "only the last"): // --log-lines
		return fmt.Sprintf("%s/%d is kept as %+v", l.pod.Name, l.restart, log)
	case log.JobUID != string(k.owner.UID) || log.Node != l.pod.Spec.NodeName:
		return fmt.Sprintf("%s/%d has the job %q on %q", l.pod.Name, l.restart, log.JobUID, log.Node)
	case strings.Contains(strings.Join(text, "\n"), "hunter2"):
		return fmt.Sprintf("%s/%d has a secret: %q", l.pod.Name, l.restart, text)
	case len(text) != len(l.lines):
		return fmt.Sprintf("%s/%d has %q, want %q", l.pod.Name, l.restart, text, l.lines)
	}
	for i, line := range text {
		if line != l.lines[i] && l.lines[i] != "redacted" {
			return fmt.Sprintf("%s/%d has %q, want %q", l.pod.Name, l.restart, text, l.lines)
		}
	}
	return ""
}

// kept waits until a run is kept.
func (k *keeping) kept(l *lived) {
	k.Helper()
	patience.Until(k.T, "the log is kept", func() string { return k.problem(l) })
}

// until waits until the log of a run satisfies ok.
func (k *keeping) until(l *lived, what string, ok func(log joblog.Log, text []string) bool) {
	k.Helper()
	patience.Until(k.T, what, func() string {
		log, text := k.text(l)
		if !ok(log, text) {
			return fmt.Sprintf("%+v with %q", log, text)
		}
		return ""
	})
}

// compare checks that all runs are kept, and logs how long it took.
func (k *keeping) compare(when string) {
	k.Helper()
	var lags []time.Duration
	for _, l := range k.runs {
		k.kept(l)
		log, _ := k.text(l)
		lags = append(lags, log.Fetched.Sub(l.ended))
	}
	slices.Sort(lags)
	worst := lags[len(lags)-1]
	k.Logf("%s: from the end of a container to its log in the database, %d runs: half within %v, 99 %% within %v, all within %v",
		when, len(lags), lags[len(lags)/2].Round(time.Millisecond), lags[len(lags)*99/100].Round(time.Millisecond), worst.Round(time.Millisecond))
	if *exact && worst > tolerated {
		k.Errorf("a log took %v", worst)
	}
	k.runs = nil
}
