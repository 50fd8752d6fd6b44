package insight_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// failedJob is a job that failed for a reason.
func failedJob(reason, message string) string {
	return strings.NewReplacer("REASON", reason, "MESSAGE", message).Replace(`
apiVersion: batch/v1
kind: Job
metadata: {namespace: ml, name: train, labels: {vedette.io/user: liwei}}
spec: {backoffLimit: 0, activeDeadlineSeconds: 7200, template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}
status:
  conditions: [{type: Failed, status: "True", reason: REASON, message: "MESSAGE", lastTransitionTime: "NOW"}]`)
}

// failedPod is a pod of the job with some status.
func failedPod(name, status string) string {
	return strings.NewReplacer("NAME", name, "STATUS", status).Replace(`
apiVersion: v1
kind: Pod
metadata:
  namespace: ml
  name: NAME
  labels: {training.kubeflow.org/replica-type: NAME, training.kubeflow.org/replica-index: "2"}
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: UID(train), controller: true}]
spec:
  nodeName: gpu-h100-17
  initContainers: [{name: fetch, image: x}]
  containers: [{name: main, image: x, resources: {limits: {memory: 480Gi}}}]
status: {STATUS}`)
}

func why(t *testing.T, s *scene, language string) *api.Failure {
	t.Helper()
	f, err := s.insight.Failure(t.Context(), s.job("ml", "train"), insight.Viewer{Language: language})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func terminated(code, reason string) string {
	return `{name: main, restartCount: 0, state: {terminated: {exitCode: ` + code + `, reason: ` + reason + `, finishedAt: "NOW"}}}`
}

// TestFailure: the sentence names the pod that ended first and its cause.
func TestFailure(t *testing.T) {
	exit := func(n int) *int { return &n }
	for _, c := range []struct {
		name             string
		reason, message  string
		pods             []string // status of each
		english, chinese string
		cause, signal    string
		code             *int
	}{
		{
			"memory, and the others got a signal to stop", "BackoffLimitExceeded", "Job has reached the specified backoff limit",
			[]string{"phase: Failed, containerStatuses: [" + terminated("143", "Error") + "]", "phase: Failed, containerStatuses: [" + terminated("137", "OOMKilled") + "]"},
			"Pod b-2 used all of its 480 GiB of memory on gpu-h100-17 and was killed. 1 other pod stopped at the same time. No retries were left.", "Pod b-2 在节点 gpu-h100-17 上用尽 480 GiB 内存，被终止。另有 1 个 Pod 同时停止。已没有剩余重试次数。",
			"OOMKilled", "SIGKILL", exit(137),
		},
		{
			"exit code", "BackoffLimitExceeded", "",
			[]string{"phase: Failed, containerStatuses: [" + terminated("1", "Error") + "]"},
			"Pod a-2 ended with exit code 1 on gpu-h100-17. No retries were left.", "Pod a-2 在节点 gpu-h100-17 上以退出码 1 结束。已没有剩余重试次数。", "Error", "", exit(1),
		},
		{
			"signal", "PodFailed", "",
			[]string{"phase: Failed, containerStatuses: [" + terminated("139", "Error") + "]"},
			"Pod a-2 was ended by SIGSEGV on gpu-h100-17, exit code 139.", "Pod a-2 在节点 gpu-h100-17 上被 SIGSEGV 终止，退出码 139。", "Error", "SIGSEGV", exit(139),
		},
		{
			"eviction", "PodFailed", "",
			[]string{`phase: Failed, reason: Evicted, message: "The node was low on resource: ephemeral-storage."`},
			"Pod a-2 was evicted on gpu-h100-17: The node was low on resource: ephemeral-storage.", "Pod a-2 在节点 gpu-h100-17 上被驱逐：The node was low on resource: ephemeral-storage.", "Evicted", "", nil,
		},
		{
			"node", "PodFailed", "",
			[]string{`phase: Failed, conditions: [{type: DisruptionTarget, status: "True", reason: DeletionByTaintManager, lastTransitionTime: "NOW"}], containerStatuses: [` + terminated("137", "Error") + "]"},
			"Pod a-2 was lost with its node on gpu-h100-17.", "Pod a-2 在节点 gpu-h100-17 上随节点失联。", "NodeLost", "", nil,
		},
		{
			"init container", "PodFailed", "",
			[]string{"phase: Failed, initContainerStatuses: [" + strings.Replace(terminated("2", "Error"), "main", "fetch", 1) + "]"},
			"Init container fetch of Pod a-2 ended with exit code 2 on gpu-h100-17.", "Pod a-2 的初始化容器 fetch 在节点 gpu-h100-17 上以退出码 2 结束。", "Error", "", exit(2),
		},
		{
			"deadline", "DeadlineExceeded", "Job was active longer than specified deadline",
			[]string{"phase: Failed, containerStatuses: [" + terminated("143", "Error") + "]"},
			"It ran longer than the 2h that it may run.", "运行超过了 2h 的时限。", "DeadlineExceeded", "", nil,
		},
		{"nothing but the job", "SomethingElse", "because of that", nil, "It failed: SomethingElse. because of that.", "已失败：SomethingElse。because of that.", "SomethingElse", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, dbtest.Empty(t, "sqlite"))
			s.create(failedJob(c.reason, c.message))
			for i, status := range c.pods {
				s.create(failedPod(string(rune('a'+i)), status))
			}
			s.record("jobs.batch", "pods")
			f := why(t, s, "en")
			if f.Sentence != c.english {
				t.Errorf("got  %s\nwant %s", f.Sentence, c.english)
			}
			if zh := why(t, s, "zh").Sentence; zh != c.chinese {
				t.Errorf("got  %s\nwant %s", zh, c.chinese)
			}
			if f.Cause != c.cause || f.Signal != c.signal || (f.ExitCode == nil) != (c.code == nil) || c.code != nil && *f.ExitCode != *c.code || f.Like != 1 || f.Days != 30 {
				t.Errorf("got %+v, want cause %v, signal %v, its exit code, and 1 alike in 30 days", f, c.cause, c.signal)
			}
		})
	}
}

// TestFailureWithoutPods: if neither a label nor a recorded object leads to the pods of a failed
// job, it does not say that recorded pods know no cause.
func TestFailureWithoutPods(t *testing.T) {
	const flink = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {namespace: ml, name: train}
status: {lifecycleState: FAILED, error: no image}`
	for _, c := range []struct{ object, typ, want string }{
		{flink, "flinkdeployments.flink.apache.org", "pods of cluster gpu-west are not recorded."},
		{failedJob("SomethingElse", ""), "jobs.batch", "the recorded pods do not say."},
	} {
		s := newScene(t, dbtest.Empty(t, "sqlite"))
		s.create(c.object)
		s.record(c.typ, "pods")
		if got := strings.Join(why(t, s, "en").Unknown, " "); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.typ, got, c.want)
		}
	}
}

// TestFailureLines: the answer has the last lines of the container that failed first.
func TestFailureLines(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.create(failedJob("BackoffLimitExceeded", ""))
		s.create(failedPod("a", "phase: Failed, containerStatuses: ["+terminated("137", "OOMKilled")+"]"))
		s.create(failedPod("b", "phase: Failed, containerStatuses: ["+terminated("143", "Error")+"]"))
		s.record("jobs.batch", "pods")
		logs := joblog.New(s.db, joblog.Limits{}, nil)
		job := s.job("ml", "train")
		for i, pod := range []string{"a", "b"} {
			var lines []joblog.Line
			for range 30 {
				lines = append(lines, joblog.Line{Time: begin.Add(time.Duration(i) * time.Hour), Text: "line of " + pod + " \x1b[31m"})
			}
			log := joblog.Log{
				ClusterUID: job.ClusterUID, PodUID: s.uids[pod], Namespace: "ml", Pod: pod, Container: "main", JobUID: job.UID,
				Started: begin, Ended: begin.Add(time.Hour), ExitCode: 137, Complete: true,
			}
			if err := logs.Put(t.Context(), log, lines); err != nil {
				t.Fatal(err)
			}
		}
		f := why(t, s, "en")
		if len(f.Lines) != 10 || f.LinesKept != 30 || f.Lines[0].Pod != "a" || !strings.HasPrefix(f.Lines[0].Text, "line of a") {
			t.Errorf("%d of %d lines: %+v", len(f.Lines), f.LinesKept, f.Lines)
		}
	})
}

// TestFailuresAlike: jobs of the same owner and type count if one of their pods failed for
// the same cause.
func TestFailuresAlike(t *testing.T) {
	s := newScene(t, dbtest.Empty(t, "sqlite"))
	for i, reason := range []string{"OOMKilled", "Error", "OOMKilled", "OOMKilled"} {
		name := string(rune('a' + i))
		owner := "liwei"
		if i == 3 {
			owner = "ana"
		}
		job := strings.NewReplacer("name: train,", "name: "+name+",", "liwei", owner).Replace(failedJob("BackoffLimitExceeded", ""))
		s.create(job)
		s.create(strings.NewReplacer("name: train,", "name: "+name+",", "UID(train)", "UID("+name+")").Replace(failedPod("pod-"+name, "phase: Failed, containerStatuses: ["+terminated("137", reason)+"]")))
	}
	s.record("jobs.batch", "pods")
	for name, want := range map[string]int{"a": 2, "b": 1, "c": 2, "d": 1} {
		f, err := s.insight.Failure(t.Context(), s.job("ml", name), insight.Viewer{})
		if err != nil || f.Like != want {
			t.Errorf("%s: %d alike, want %d, %v", name, f.Like, want, err)
		}
	}
}
