package insight_test

import (
	"fmt"
	"slices"
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

const queues = `
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: gpu-h100}
spec:
  queueingStrategy: StrictFIFO
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - name: h100
      resources:
      - {name: cpu, nominalQuota: "30"}
      - {name: nvidia.com/gpu, nominalQuota: "48"}
    - name: h100-spot
      resources:
      - {name: cpu, nominalQuota: "30"}
      - {name: nvidia.com/gpu, nominalQuota: "16"}
status:
  flavorsReservation:
  - name: h100
    resources: [{name: nvidia.com/gpu, total: "48"}, {name: cpu, total: 48500m}]
  flavorsUsage: []
  conditions: [{type: Active, status: "True", reason: Ready, message: ok, lastTransitionTime: "2026-03-01T09:00:00Z"}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {namespace: ml, name: train}
spec: {clusterQueue: gpu-h100}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {namespace: secret, name: train}
spec: {clusterQueue: gpu-h100}`

// queuedJob is a job of Kueue with its Workload, which holds quota or waits for it.
func queuedJob(namespace, name, owner string, gpus, priority int, holds bool) string {
	status := `
  conditions:
  - {type: QuotaReserved, status: "False", reason: Pending, lastTransitionTime: "2026-03-01T09:00:00Z",
     message: "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed"}
  resourceRequests: [{name: main, resources: {nvidia.com/gpu: "GPUS", cpu: "4"}}]`
	suspended := "true"
	if holds {
		suspended = "false"
		status = `
  admission:
    clusterQueue: gpu-h100
    podSetAssignments: [{name: main, count: 1, flavors: {nvidia.com/gpu: h100}, resourceUsage: {nvidia.com/gpu: "GPUS", cpu: 500m}}]
  conditions:
  - {type: QuotaReserved, status: "True", reason: QuotaReserved, message: ok, lastTransitionTime: "2026-03-01T09:00:00Z"}
  - {type: Admitted, status: "True", reason: Admitted, message: ok, lastTransitionTime: "2026-03-01T09:00:00Z"}`
	}
	return strings.NewReplacer("NAMESPACE", namespace, "NAME", name, "OWNER", owner, "GPUS", fmt.Sprint(gpus), "PRIORITY", fmt.Sprint(priority), "SUSPENDED", suspended, "STATUS", strings.ReplaceAll(status, "GPUS", fmt.Sprint(gpus))).Replace(`
apiVersion: batch/v1
kind: Job
metadata:
  namespace: NAMESPACE
  name: NAME
  labels: {kueue.x-k8s.io/queue-name: train, kueue.x-k8s.io/priority-class: pPRIORITY, vedette.io/user: OWNER}
spec:
  suspend: SUSPENDED
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: "GPUS"}}}]}}
status:
  conditions: [{type: Suspended, status: "True", reason: JobSuspended, lastTransitionTime: "2026-03-01T09:00:00Z"}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata:
  namespace: NAMESPACE
  name: job-NAME
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: NAME, uid: UID(NAME), controller: true}]
spec:
  queueName: train
  priority: PRIORITY
  priorityClassName: pPRIORITY
  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: "GPUS"}}}]}}}]
status:STATUS`)
}

// newLine is a scene with a ClusterQueue of 64 GPUs, 48 of which are held, and four jobs in line.
func newLine(t *testing.T, url string) *scene {
	s := newScene(t, url)
	s.create(queues)
	s.create(queuedJob("ml", "holder", "ana", 32, 5, true))
	s.create(queuedJob("secret", "hidden-holder", "mallory", 16, 5, true))
	s.create(queuedJob("secret", "hidden-first", "mallory", 24, 9, false))
	s.create(queuedJob("ml", "second", "ben", 8, 8, false))
	s.create(queuedJob("ml", "third", "liwei", 32, 5, false))
	s.create(queuedJob("ml", "last", "ana", 8, 1, false))
	return s
}

// everything names the types of the scene.
var everything = []string{"jobs.batch", "workloads.kueue.x-k8s.io", "clusterqueues.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io"}

// ml sees the namespace ml only.
func ml(_, _, namespace string) (time.Time, bool) { return time.Time{}, namespace == "ml" }

func ask(t *testing.T, s *scene, name string, v insight.Viewer) *api.Waiting {
	t.Helper()
	w, err := s.insight.Waiting(t.Context(), s.job("ml", name), v)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestKueue: quota, owners and line are those of the recorded objects, in both languages.
func TestKueue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := newLine(t, url)
		s.record(everything...)
		w := ask(t, s, "third", insight.Viewer{})
		if want := "It needs 32 GPUs; queue gpu-h100 has 16 of 64 left. It is 3rd in line, and 2 of the jobs before it have a higher priority."; w.Sentence != want {
			t.Errorf("got  %s\nwant %s", w.Sentence, want)
		}
		q := w.Quota
		if w.Source != "Kueue" || w.AsOf.IsZero() || q == nil || q.Resource != "nvidia.com/gpu" || q.Total != 64 || q.Used != 48 || q.Needed != 32 {
			t.Fatalf("got source %s and quota %+v, want Kueue and 48 of 64 GPUs used, 32 needed", w.Source, q)
		}
		if want := []api.QuotaShare{{Owner: "ana", Used: 32}, {Owner: "mallory", Used: 16}}; !slices.Equal(q.Owners, want) {
			t.Errorf("owners %+v, want %+v", q.Owners, want)
		}
		l := w.Line
		if l == nil || l.Place != 3 || l.Length != 4 || l.AheadJobs != 2 || l.Ahead != 32 || l.Hidden != 0 || l.PlaceBefore != 0 {
			t.Fatalf("got line %+v, want place 3 of 4, 32 GPUs of 2 jobs ahead", l)
		}
		var names []string
		for _, j := range l.Jobs {
			names = append(names, fmt.Sprint(j.Place, j.Job.Name, j.Owner, j.GPUs, j.Priority, j.Self))
		}
		if want := []string{"1hidden-firstmallory24p9false", "2secondben8p8false", "3thirdliwei32p5true", "4lastana8p1false"}; !slices.Equal(names, want) {
			t.Errorf("line %q, want %q", names, want)
		}
		zh := ask(t, s, "third", insight.Viewer{Language: "zh"})
		if want := "需要 32 GPU；队列 gpu-h100 配额 64，剩余 16。排在第 3 位，前面有 2 个作业优先级更高。"; zh.Sentence != want {
			t.Errorf("got  %s\nwant %s", zh.Sentence, want)
		}
		if enough := ask(t, s, "last", insight.Viewer{}); !strings.HasPrefix(enough.Sentence, "It needs 8 GPUs; queue gpu-h100 has 16 of 64 left, but no flavor of it has enough. It is 4th in line") {
			t.Errorf("got %q, want a sentence about 16 of 64 GPUs that no flavor has enough of", enough.Sentence)
		}
		f, err := s.insight.Forecast(t.Context(), insight.Planned{Cluster: "gpu-west", Namespace: "ml", Queue: "train", Priority: "p8", GPUs: 4}, insight.Viewer{Since: ml})
		if err != nil || f.Quota == nil || f.Quota.Needed != 4 || f.Line == nil || f.Line.Place != 3 || f.Line.Length != 5 || f.Line.Ahead != 32 || len(f.Line.Jobs) != 0 {
			t.Errorf("got forecast %+v and error %v, want 4 GPUs needed and place 3 of 5", f, err)
		}
	})
}

// TestHiddenJobs: jobs that the person may not see appear only in sums and places.
func TestHiddenJobs(t *testing.T) {
	s := newLine(t, dbtest.Empty(t, "sqlite"))
	s.record(everything...)
	w := ask(t, s, "third", insight.Viewer{Since: ml})
	if want := []api.QuotaShare{{Owner: "ana", Used: 32}, {Owner: "others", Used: 16, Others: true}}; !slices.Equal(w.Quota.Owners, want) {
		t.Errorf("owners %+v, want %+v", w.Quota.Owners, want)
	}
	l := w.Line
	if l.Place != 3 || l.Length != 4 || l.Ahead != 32 || l.Hidden != 1 || len(l.Jobs) != 3 || l.Jobs[0].Place != 2 {
		t.Errorf("got line %+v, want place 3 of 4, one job hidden", l)
	}
	if text := fmt.Sprintf("%+v %+v %+v", w, w.Quota, w.Line); strings.Contains(text, "mallory") || strings.Contains(text, "hidden") || strings.Contains(text, "secret") {
		t.Errorf("names that the person may not see: %s", text)
	}
}

// TestKueuePartly: an answer names the types that are not recorded, and invents no facts.
func TestKueuePartly(t *testing.T) {
	for _, c := range []struct {
		name           string
		types          []string
		quota, line    bool
		says, unknowns string
	}{
		{"nothing", everything[:1], false, false, "It waits in queue train. 1 job of the queue was submitted before it and waits too.", "clusterqueues.kueue.x-k8s.io to the types"},
		{"workloads only", everything[:2], false, false, "It waits for quota of queue train.", "localqueues.kueue.x-k8s.io to the types"},
		{"no LocalQueues", everything[:3], false, false, "It waits for quota of queue train.", "localqueues.kueue.x-k8s.io to the types"},
		{"no Workloads", []string{everything[0], everything[2], everything[3]}, false, false, "It has no workload of Kueue yet.", "workloads.kueue.x-k8s.io to the types"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, dbtest.Empty(t, "sqlite"))
			s.create(queues)
			s.create(queuedJob("ml", "first", "ana", 8, 5, false))
			s.uids = map[string]string{}
			s.create(strings.ReplaceAll(queuedJob("ml", "third", "ana", 8, 5, false), "UID(", "UID("))
			s.record(c.types...)
			w := ask(t, s, "third", insight.Viewer{})
			if !strings.HasPrefix(w.Sentence, c.says[:20]) || (w.Quota != nil) != c.quota || (w.Line != nil) != c.line {
				t.Errorf("got %q, quota %+v, line %+v; want %q, a quota: %t, a line: %t", w.Sentence, w.Quota, w.Line, c.says, c.quota, c.line)
			}
			if text := strings.Join(w.Unknown, "\n"); !strings.Contains(text, c.unknowns) {
				t.Errorf("unknown: %s\nwant %s", text, c.unknowns)
			}
		})
	}
}

// TestBlocked: the answer about a job that cannot start states this, and has no likely start,
// regardless of other jobs of the queue.
func TestBlocked(t *testing.T) {
	active := "conditions: [{type: Active, status: \"True\""
	for _, c := range []struct{ name, old, changed, says string }{
		{"as it is", "", "", "It needs 8 GPUs; queue gpu-h100 has 16 of 64 left, but no flavor of it has enough."},
		{"stopped", "queueingStrategy: StrictFIFO", "stopPolicy: Hold", "Queue gpu-h100 is stopped, so nothing in it starts."},
		{"inactive", active, strings.Replace(active, "True", "False", 1), "Queue gpu-h100 is not active, so nothing in it starts. Kueue says: ok."},
		{"stopped here", "spec: {clusterQueue: gpu-h100}", "spec: {clusterQueue: gpu-h100, stopPolicy: HoldAndDrain}", "Queue train is stopped, so nothing in it starts."},
		{"too small", `"48"}`, `"3"}`, "It needs 8 GPUs, and queue gpu-h100 has a quota of 7 in all. It cannot start unless the quota grows."},
		{"too small without a loan", `"48"}`, `"3"}`, "It needs 8 GPUs, and queue gpu-h100 has a quota of 7 in all. It can start only if it borrows from cohort all."},
		{"switched off", "queueName: train", "queueName: train\n  active: false", "Its workload is switched off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, dbtest.Empty(t, "sqlite"))
			change := func(text string) string {
				if c.old == "" {
					return text
				}
				return strings.ReplaceAll(text, c.old, c.changed)
			}
			text := change(queues)
			loan := strings.Contains(c.says, "borrows")
			if loan {
				text = strings.ReplaceAll(text, "queueingStrategy: StrictFIFO", "cohort: all")
			}
			if strings.HasPrefix(c.name, "too small") {
				text = strings.ReplaceAll(text, `nominalQuota: "16"`, `nominalQuota: "4"`)
			}
			s.create(text)
			s.create(change(queuedJob("ml", "last", "ana", 8, 1, false)))
			s.record(everything...)
			s.index.Put(waited(s.job("ml", "last"), 400))
			w := ask(t, s, "last", insight.Viewer{})
			if !strings.HasPrefix(w.Sentence, c.says) {
				t.Errorf("got  %s\nwant %s", w.Sentence, c.says)
			}
			shown := c.name == "as it is" || loan
			if (w.Likely != nil) != shown {
				t.Errorf("likely start %+v, want %v; unknown %q", w.Likely, shown, w.Unknown)
			}
		})
	}
}

// waited returns jobs of a job's queue that waited for 1 to 20 minutes before the job was
// submitted.
func waited(like *jobindex.Row, n int) (all []jobindex.Job) {
	for i := range n {
		submitted := like.Submitted.Add(-time.Duration(n-i) * 30 * time.Minute)
		started := submitted.Add(time.Duration(1+i*7%20) * time.Minute)
		j := jobindex.Job{
			ID: int64(1000 + i), Cluster: like.Cluster, ClusterUID: like.ClusterUID, Type: like.Type, Kind: like.Kind, Namespace: like.Namespace,
			Name: fmt.Sprint("past-", i), UID: fmt.Sprint("past-", i), Queue: like.Queue, State: job.Running, Since: started, Submitted: submitted, Presence: history.Present,
			Transitions: []job.Transition{{To: job.Queued, At: submitted}, {To: job.Running, At: started}},
		}
		j.Facts = &job.Facts{GPUs: like.GPUs, Pods: 1}
		all = append(all, j)
	}
	return all
}
