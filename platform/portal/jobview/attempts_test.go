package jobview_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

var begin = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func minutes(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

// ended returns a pod of a job that ran on a node and ended with an exit code.
func ended(id int64, name, node, image string, at int, exit int32, reason string) (history.Object, []byte) {
	return withStatus(id, name, node, image, at, corev1.ContainerStatus{
		Name: "main", ImageID: "reg/x@sha256:" + strings.Repeat(fmt.Sprint(at%10), 64),
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Reason: reason, StartedAt: metav1.NewTime(minutes(at)), FinishedAt: metav1.NewTime(minutes(at + 5))}},
	})
}

func withStatus(id int64, name, node, image string, at int, c corev1.ContainerStatus) (history.Object, []byte) {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{NodeName: node, RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: image}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{c}},
	}
	o := history.Object{ID: id, Name: name, UID: "uid-" + name, Created: minutes(at), State: string(job.Running), Type: history.Type{Resource: "pods", Kind: "Pod"}}
	if t := c.State.Terminated; t != nil {
		p.Status.Phase, o.State = corev1.PodSucceeded, string(job.Succeeded)
		if t.ExitCode != 0 {
			p.Status.Phase, o.State = corev1.PodFailed, string(job.Failed)
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return o, text
}

// setOf returns the set of some pods.
func setOf(pods ...func() (history.Object, []byte)) *jobview.PodSet {
	var objects []history.Object
	bodies := map[int64][]byte{}
	for _, p := range pods {
		o, text := p()
		objects = append(objects, o)
		bodies[o.ID] = text
	}
	return jobview.NewPodSet(objects, bodies, nil)
}

// TestAttemptsOfOneJob: pods that replace one another are attempts, and differences are marked.
func TestAttemptsOfOneJob(t *testing.T) {
	set := setOf(
		func() (history.Object, []byte) { return ended(1, "train-aaaaa", "n1", "img:v1", 0, 1, "Error") },
		func() (history.Object, []byte) { return ended(2, "train-bbbbb", "n2", "img:v1", 10, 137, "OOMKilled") },
		func() (history.Object, []byte) { return ended(3, "train-ccccc", "n2", "img:v1", 20, 137, "OOMKilled") },
	)
	m := jobview.Member{
		Attempt: history.Attempt{Object: history.Object{Name: "train", UID: "u"}, State: job.Failed, Reason: "BackoffLimitExceeded"}, Pods: set,
		Life: job.LifeOf(begin, []job.Transition{
			{To: job.Running, At: minutes(1)},
			{To: job.Restarting, At: minutes(5)},
			{To: job.Running, At: minutes(11)},
			{To: job.Restarting, At: minutes(15)},
			{To: job.Running, At: minutes(21)},
			{To: job.Failed, At: minutes(25)},
		}, minutes(25)),
	}
	list := jobview.Attempts([]jobview.Member{m})
	var text strings.Builder
	for _, a := range list.Attempts {
		fmt.Fprintf(&text, "%d/%d %s %s %s +%v ran %v pods %d first %q on %v\n", a.Number, a.Run, a.State, a.Reason, a.Began.Sub(begin), a.Ended.Sub(begin), a.Ran, a.Pods, a.FirstFailure, a.Nodes)
	}
	for _, f := range list.Fields {
		fmt.Fprintln(&text, f.Name, f.Values, f.Differs)
	}
	want := `1/1 Failed Error 1m0s +5m0s ran 240 pods 1 first "train-aaaaa, exit code 1" on [n1]
2/2 Failed OOMKilled 11m0s +15m0s ran 240 pods 1 first "train-bbbbb, exit code 137" on [n2]
3/3 Failed OOMKilled 21m0s +25m0s ran 240 pods 1 first "train-ccccc, exit code 137" on [n2]
ended [Error OOMKilled OOMKilled] [false true false]
ran [4m 0s 4m 0s 4m 0s] [false false false]
firstFailure [train-aaaaa, exit code 1 train-bbbbb, exit code 137 train-ccccc, exit code 137] [false true true]
exitCode [1 137 137] [false true false]
image [img:v1@00000000 img:v1@00000000 img:v1@00000000] [false false false]
nodes [n1 n2 n2] [false true false]
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	if reason, exit := set.Failure(); reason != "OOMKilled" || exit == nil || *exit != 137 {
		t.Errorf("got reason %s and exit code %v, want OOMKilled and 137", reason, exit)
	}
	if nodes := set.Nodes(); fmt.Sprint(nodes) != "[n2]" {
		t.Errorf("got nodes %v, want n2", nodes)
	}
}

// TestAttemptsOfAChain: retries follow one another, with their changed fields; jobs without pods
// have the facts from their logs.
func TestAttemptsOfAChain(t *testing.T) {
	object := func(uid string) history.Object { return history.Object{ID: int64(len(uid)), UID: uid, Name: uid} }
	chain := []jobview.Member{
		{Attempt: history.Attempt{Number: 1, Object: object("a"), State: job.Failed}, Logs: []joblog.Log{
			{PodUID: "p", Pod: "a-worker-2", Container: "main", Restart: 0, ExitCode: 1, Node: "n1", Started: minutes(0), Ended: minutes(1), Reason: "Error"},
			{PodUID: "p", Pod: "a-worker-2", Container: "main", Restart: 1, ExitCode: 137, Node: "n1", Started: minutes(2), Ended: minutes(4), Reason: "OOMKilled"},
		}},
		{Attempt: history.Attempt{Number: 2, Object: object("bb"), State: job.Failed, RetryOf: "a"}},
		{Attempt: history.Attempt{Number: 3, Object: object("ccc"), State: job.Running, RetryOf: "bb", Changes: []history.FieldChange{{Path: "spec.memory", Old: "1Gi", New: "2Gi"}}}},
		{Attempt: history.Attempt{Number: 4, Object: object("dddd"), State: job.Queued, RetryOf: "ccc", Changes: []history.FieldChange{{Path: "spec.gpus", New: "8"}}}},
	}
	list := jobview.Attempts(chain)
	var text strings.Builder
	for _, a := range list.Attempts {
		text.WriteString(fmt.Sprintf("%d/%d %s %s %s; ", a.Number, a.Run, a.Job.UID, a.State, a.FirstFailure))
	}
	for _, f := range list.Fields[6:] {
		text.WriteString(fmt.Sprintf("%s %q %v; ", f.Name, f.Values, f.Differs))
	}
	want := `1/1 a Failed worker-2, exit code 1; 2/2 a Failed worker-2, exit code 137; 3/1 bb Failed ; 4/1 ccc Running ; 5/1 dddd Queued ; ` +
		`spec.gpus ["" "" "" "" "8"] [false false false false true]; spec.memory ["1Gi" "1Gi" "1Gi" "2Gi" "2Gi"] [false false false true false]; `
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
	if list := jobview.Attempts(nil); list.Attempts == nil || list.Fields == nil {
		t.Error("lists of nothing are null")
	}
}

// TestHostilePods: bodies that are not pods, and absurd counts, are handled in bounded time.
func TestHostilePods(t *testing.T) {
	o := history.Object{ID: 1, Name: "p", UID: "u", State: "Running"}
	for _, body := range []string{"", "null", "[]", `{"spec":1}`, `{"status":{"containerStatuses":[{"restartCount":2147483647,"state":{"terminated":{"exitCode":1}}}]}}`, `{"status":{"containerStatuses":[{"restartCount":-5}]}}`} {
		set := jobview.NewPodSet([]history.Object{o}, map[int64][]byte{1: []byte(body)}, nil)
		if pods := set.Pods(); len(pods) != 1 || pods[0].Restarts < 0 || pods[0].Name != "p" {
			t.Errorf("body %s: got %+v, want one Pod without negative restarts", body, pods)
		}
		if n := len(jobview.Attempts([]jobview.Member{{Pods: set}}).Attempts); n < 1 || n > 200 {
			t.Errorf("body %s: got %d attempts, want 1 to 200", body, n)
		}
	}
}

// TestEvent: both versions of events are understood.
func TestEvent(t *testing.T) {
	for _, body := range []string{
		`{"kind":"Event","type":"Warning","reason":"Failed","message":"m","count":3,"firstTimestamp":"2026-03-01T09:00:00Z","lastTimestamp":"2026-03-01T09:05:00Z","source":{"component":"kubelet"},"involvedObject":{"kind":"Pod","name":"p","uid":"u"}}`,
		`{"kind":"Event","type":"Warning","reason":"Failed","note":"m","series":{"count":3,"lastObservedTime":"2026-03-01T09:05:00.000000Z"},"eventTime":"2026-03-01T09:00:00.000000Z","reportingController":"kubelet","regarding":{"kind":"Pod","name":"p","uid":"u"}}`,
	} {
		e, about, ok := jobview.Event([]byte(body))
		if !ok || about != "u" || e.Type != "Warning" || e.Message != "m" || e.Count != 3 || e.Source != "kubelet" || !e.First.Equal(begin) || !e.Last.Equal(minutes(5)) || e.Object.Name != "p" {
			t.Errorf("got event %+v about %s (%v), want the warning of u, 3 times", e, about, ok)
		}
	}
	for _, body := range []string{"", "{}", `{"kind":"Pod"}`, `{"kind":"Event","count":-1,"involvedObject":[]}`} {
		if e, _, ok := jobview.Event([]byte(body)); ok && e.Count != 1 {
			t.Errorf("body %s: got %+v, want no event or one with count 1", body, e)
		}
	}
}
