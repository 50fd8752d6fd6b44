package facts_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// podBody is a pod with a status and labels.
func podBody(status, labels string) []byte {
	return fmt.Appendf(nil, `{"kind":"Pod","metadata":{"name":"p","labels":{%s}},"spec":{"nodeName":"n1","activeDeadlineSeconds":90,"containers":[`+
		`{"name":"main","resources":{"limits":{"memory":"480Gi"}}},{"name":"side","resources":{"limits":{"memory":"1Gi"}}}]},"status":{%s}}`, labels, status)
}

func TestPodCauses(t *testing.T) {
	on := func(c message.Cause) message.Cause {
		c.Pod, c.Node = "p", "n1"
		return c
	}
	for _, c := range []struct {
		name, status, labels string
		want                 message.Cause
	}{
		{"running", `"containerStatuses":[{"name":"main","state":{"running":{}}}]`, "", message.Cause{}},
		{"exit code 0", `"containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]`, "", message.Cause{}},
		{
			"out of memory", `"containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]`, "",
			message.Cause{Reason: message.OOMKilled, ExitCode: new(137), Limit: "480 GiB"},
		},
		{"error", `"containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":1,"reason":"Error"}}}]`, "", message.Cause{Reason: message.ExitError, ExitCode: new(1)}},
		{
			"started again", `"containerStatuses":[{"name":"main","state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":2}}}]`, "",
			message.Cause{Reason: message.ExitError, ExitCode: new(2)},
		},
		{
			"the first container counts", `"containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":143,"finishedAt":"2026-11-22T08:00:09Z"}}},` +
				`{"name":"side","state":{"terminated":{"exitCode":137,"reason":"OOMKilled","finishedAt":"2026-11-22T08:00:02Z"}}}]`, "",
			message.Cause{Reason: message.OOMKilled, ExitCode: new(137), Limit: "1 GiB"},
		},
		{"evicted", `"reason":"Evicted","message":"The node was low on resource: memory."`, "", message.Cause{Reason: message.Evicted, Why: "The node was low on resource: memory."}},
		{
			"evicted, with an exit code", `"reason":"Evicted","message":"disk","containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":137}}}]`, "",
			message.Cause{Reason: message.Evicted, Why: "disk"},
		},
		{"preempted", `"conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler","message":"x"}]`, "", message.Cause{Reason: message.Preempted}},
		{"drained", `"conditions":[{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI","message":"drain"}]`, "", message.Cause{Reason: message.Evicted, Why: "drain"}},
		{"the node is gone", `"conditions":[{"type":"DisruptionTarget","status":"True","reason":"DeletionByTaintManager"}]`, "", message.Cause{Reason: message.NodeLost}},
		{"not disrupted", `"conditions":[{"type":"DisruptionTarget","status":"False","reason":"PreemptionByScheduler"}]`, "", message.Cause{}},
		{"deadline", `"reason":"DeadlineExceeded"`, "", message.Cause{Reason: message.DeadlineExceeded, Limit: "1m 30s"}},
		{"no image", `"containerStatuses":[{"name":"main","state":{"waiting":{"reason":"ImagePullBackOff"}}}]`, "", message.Cause{Reason: message.ImagePull}},
		{
			"worker of Kubeflow", `"reason":"NodeLost"`, `"training.kubeflow.org/replica-type":"worker","training.kubeflow.org/replica-index":"2"`,
			message.Cause{Reason: message.NodeLost, Role: "worker", Index: new(2)},
		},
		{"task of Volcano", `"reason":"NodeLost"`, `"volcano.sh/task-spec":"ps","volcano.sh/task-index":"0"`, message.Cause{Reason: message.NodeLost, Role: "ps", Index: new(0)}},
		{"an odd index", `"reason":"NodeLost"`, `"volcano.sh/task-spec":"ps","volcano.sh/task-index":"-1"`, message.Cause{Reason: message.NodeLost}},
		{"odd types", `"reason":5,"conditions":"x","containerStatuses":{"a":1}`, `"volcano.sh/task-spec":7`, message.Cause{}},
	} {
		want := c.want
		if want.Reason != "" {
			want = on(want)
		}
		if diff := cmp.Diff(want, facts.PodCause(podBody(c.status, c.labels))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// FuzzPodCause: no body causes a panic.
func FuzzPodCause(f *testing.F) {
	f.Add([]byte(`{"kind":"Pod","status":{"containerStatuses":[{}]}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := json.Marshal(facts.PodCause(body)); err != nil {
			t.Error(err)
		}
	})
}
