package insight_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

const unplaced = `
apiVersion: batch/v1
kind: Job
metadata: {namespace: ml, name: train}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}
status: {startTime: "2026-03-01T09:00:00Z", active: 1}
---
apiVersion: v1
kind: Pod
metadata:
  namespace: ml
  name: train-x
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: UID(train), controller: true}]
spec: {containers: [{name: main, image: x}]}
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, lastTransitionTime: "2026-03-01T09:00:00Z", message: "0/4 nodes are available: 4 Insufficient nvidia.com/gpu."}]`

// TestScheduler: the last message of the scheduler counts, from the condition or from an
// event.
func TestScheduler(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.create(unplaced)
		s.create(`
apiVersion: v1
kind: Event
metadata: {namespace: ml, name: train-x.17a}
involvedObject: {kind: Pod, namespace: ml, name: train-x}
reason: FailedScheduling
message: "0/5 nodes are available: 1 node(s) were unschedulable, 4 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod."
lastTimestamp: "2026-03-01T10:42:06Z"
---
apiVersion: v1
kind: Event
metadata: {namespace: ml, name: train-y.17b}
involvedObject: {kind: Pod, namespace: ml, name: train-y}
reason: FailedScheduling
message: "0/9 nodes are available: 9 Insufficient cpu."
lastTimestamp: "2026-03-01T11:00:00Z"`)
		s.record("jobs.batch", "pods", "events")
		w := ask(t, s, "train", insight.Viewer{})
		if want := "None of 5 nodes fits: too few GPUs left (4), cordoned (1)."; w.Source != "scheduler" || w.Sentence != want {
			t.Errorf("%s says %q, want %q", w.Source, w.Sentence, want)
		}
		said := time.Date(2026, 3, 1, 10, 42, 6, 0, time.UTC)
		want := []api.NodeReason{
			{Nodes: 4, Reason: "Insufficient nvidia.com/gpu", Plain: "too few GPUs left", Said: said},
			{Nodes: 1, Reason: "were unschedulable", Plain: "cordoned", Said: said},
		}
		if len(w.Nodes) != 2 || w.Nodes[0] != want[0] || w.Nodes[1] != want[1] || !w.AsOf.Equal(said) {
			t.Errorf("nodes %+v as of %v, want %+v", w.Nodes, w.AsOf, want)
		}
	})
}

// TestPodsNotRecorded: the answer names the missing type.
func TestPodsNotRecorded(t *testing.T) {
	s := newScene(t, dbtest.Empty(t, "sqlite"))
	s.create(unplaced)
	s.record("jobs.batch")
	w := ask(t, s, "train", insight.Viewer{})
	if w.Source != "" || len(w.Nodes) != 0 || !strings.Contains(strings.Join(w.Unknown, "\n"), "Why no node fits is not known: pods of cluster gpu-west are not recorded. Add pods to the types of the recorder.") {
		t.Errorf("got %+v, want only that pods are not recorded", w)
	}
}

// TestVolcano: the limit comes from the Queue, and the reason from the PodGroup.
func TestVolcano(t *testing.T) {
	s := newScene(t, dbtest.Empty(t, "sqlite"))
	s.create(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 1, capability: {nvidia.com/gpu: "16", cpu: "100"}}
status: {state: Open, allocated: {nvidia.com/gpu: "12", cpu: "10"}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {namespace: ml, name: train}
spec: {queue: research, minAvailable: 4, tasks: [{name: worker, replicas: 4, template: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: "2"}}}]}}}]}
status: {state: {phase: Pending, lastTransitionTime: "2026-03-01T09:00:00Z"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata:
  namespace: ml
  name: train-1
  ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: train, uid: UID(train), controller: true}]
spec: {minMember: 4, queue: research, minResources: {nvidia.com/gpu: "8", cpu: "4"}}
status:
  phase: Pending
  conditions: [{type: Unschedulable, status: "True", reason: NotEnoughResources, lastTransitionTime: "2026-03-01T09:00:00Z", message: "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 1 Unschedulable, 3 Undetermined. Origin reason is train-worker-0: 0/5 nodes are unavailable: 1 node(s) had untolerated taint {team: vision}, 4 Insufficient nvidia.com/gpu."}]`)
	s.record("jobs.batch.volcano.sh", "podgroups.scheduling.volcano.sh", "queues.scheduling.volcano.sh")
	w := ask(t, s, "train", insight.Viewer{})
	if want := "It needs 8 GPUs; Volcano's queue research has 4 of 16 left. Volcano starts its pods together, and 4 of 4 have no place. None of 5 nodes fits: too few GPUs left (4), a taint that it does not tolerate (1)."; w.Sentence != want {
		t.Errorf("got  %s\nwant %s", w.Sentence, want)
	}
	if w.Source != "Volcano" || w.Quota == nil || w.Quota.Total != 16 || w.Quota.Used != 12 || w.Line != nil {
		t.Errorf("got %+v and quota %+v, want Volcano, 12 of 16 used and no line", w, w.Quota)
	}
	if !strings.Contains(strings.Join(w.Unknown, "\n"), "Volcano orders jobs by shares") {
		t.Errorf("got the unknowns %q, want that Volcano orders jobs by shares", w.Unknown)
	}
}

// TestPast: the history of a queue gives similar jobs and a likely start. For an instant, and
// for a job that does not wait, there is no likely start.
func TestPast(t *testing.T) {
	s := newScene(t, dbtest.Empty(t, "sqlite"))
	now := time.Now().Truncate(time.Second)
	var all []jobindex.Job
	add := func(id int, submitted time.Time, waited time.Duration) {
		j := jobindex.Job{
			ID: int64(id), Cluster: "gpu-west", ClusterUID: "west", Type: "jobs.batch", Kind: "Job", Namespace: "ml", Name: "a", UID: string(rune(id)), Queue: "gpu-h100",
			State: job.Queued, Since: submitted, Submitted: submitted, Presence: history.Present, Transitions: []job.Transition{{To: job.Queued, At: submitted}},
		}
		j.Facts = &job.Facts{GPUs: 8, Pods: 1}
		if waited > 0 {
			j.State, j.Since = job.Running, submitted.Add(waited)
			j.Transitions = append(j.Transitions, job.Transition{To: job.Running, At: j.Since})
		}
		all = append(all, j)
	}
	for i := range 400 {
		add(i+1, now.Add(-time.Duration(400-i)*30*time.Minute), time.Duration(1+i*7%20)*time.Minute) // all orders of 1 to 20 minutes
	}
	add(1000, now.Add(-5*time.Minute), 0)
	s.index = jobindex.New(jobindex.Config{DB: s.db})
	s.index.Put(all)
	in := insight.New(insight.Config{DB: s.db, Index: s.index, Now: func() time.Time { return now }})
	row := func(id int64) (r jobindex.Row) {
		err := s.index.View(func(v *jobindex.View) error {
			r, _ = v.ByID(id)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	self := row(1000)
	w, err := in.Waiting(t.Context(), &self, insight.Viewer{})
	if err != nil {
		t.Fatal(err)
	}
	if l := w.Like; l == nil || l.Jobs != 400 || l.Median != 630 || l.Longer != 300 || l.What != "Same queue and size: 6 to 12 GPUs in gpu-h100." {
		t.Errorf("got like %+v, want 400 jobs with a median of 630 s, 300 of them longer", l)
	}
	if l := w.Likely; l == nil || l.Held < 0.75 || l.Tested != 300 || l.Early.Sub(now) > 3*time.Minute || l.Late.Sub(now) < 12*time.Minute || l.Late.Sub(now) > 15*time.Minute {
		t.Errorf("likely %+v at %v; unknown %q", l, now, w.Unknown)
	}
	if w, err = in.Waiting(t.Context(), &self, insight.Viewer{At: now}); err != nil || w.Likely != nil || len(w.Unknown) == 0 {
		t.Errorf("as of an instant: %+v, %v", w, err)
	}
	runs := row(1)
	if w, err = in.Waiting(t.Context(), &runs, insight.Viewer{}); err != nil || w.Likely != nil || w.Sentence != "It does not wait." || w.Like == nil {
		t.Errorf("of a job that runs: %+v, %v", w, err)
	}
}
