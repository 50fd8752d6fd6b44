package why_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/conformance/portal/client"
	"github.com/vedette-io/vedette/conformance/portal/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// queueTypes are the types that explain why jobs wait.
var queueTypes = []string{
	"workloads.kueue.x-k8s.io", "clusterqueues.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io",
	"podgroups.scheduling.volcano.sh", "queues.scheduling.volcano.sh", "jobs.batch.volcano.sh",
}

// whys are the sentences about the jobs of the test. The sentence of slow1 has a time at
// its end.
var whys = map[string]string{
	"waithigh": "It needs 5 GPUs; queue gpu-team has 2 of 8 left. It is next in line.",
	"wait4":    "It needs 4 GPUs; queue gpu-team has 2 of 8 left. It is 2nd in line, and 1 of the jobs before it has a higher priority.",
	"toobig":   "It needs 16 GPUs, and queue gpu-team has a quota of 8 in all. It cannot start unless the quota grows.",
	"cpuwait":  "It needs 50 CPUs; queue gpu-team has 5 of 100 left. It is 4th in line, and 3 of the jobs before it have a higher priority.",
	"tpu1":     "Queue gpu-team has no quota for example.com/tpu. It cannot start unless the quota grows.",
	"two6":     "It needs 6 GPUs; queue twoflavors has a quota of 8, but no flavor of it has as many. It cannot start unless the quota grows.",
	"st1":      "Queue stopped is stopped, so nothing in it starts.",
	"nf1":      "Queue noflavor is not active, so nothing in it starts. Kueue says: Can't admit new workloads: references missing ResourceFlavor(s): missing.",
	"ck1":      "It has its quota and waits for admission check budget.",
	"lost1":    "Queue lost is not active, so nothing in it starts. Kueue says: Can't submit new workloads to clusterQueue. ClusterQueue missing-cq of queue lost is not recorded: it may not exist.",
	"blue4":    "It needs 4 GPUs; queue blue has 4 of 4 left, but other queues of cohort colors have borrowed from it. It is next in line.",
	"red10":    "It needs 10 GPUs; queue red has a quota of 4, and cohort colors cannot lend the rest. It cannot start unless the quota grows.",
	"prelow":   "It needs 4 GPUs; queue pre has 0 of 4 left. It is next in line. It lost its quota AGO ago (preempted by another job) and is back in line.",
	"strict1":  "It needs 1 GPU; queue strict has 1 of 4 left, which is enough. It is 2nd in line, and 1 of the jobs before it has a higher priority. Queue strict starts jobs strictly in this order.",
	"off1":     "Its workload is switched off, so it does not start: spec.active is false. Kueue says: The workload is deactivated.",
	"slow1":    "It lost its quota AGO ago (its pods were not ready in time). Kueue tries it again in AGO.",
	"unplaced": "None of 5 nodes fits: too few GPUs left (3), a taint that it does not tolerate (1), cordoned (1).",
	"unbound":  "None of 5 nodes fits: its volume claim does not exist.",
	"gated":    "The scheduler places its pods after these scheduling gates are removed: example.com/wait.",
	"gang":     "It needs 8 GPUs; Volcano's queue research has 4 of 16 left. Volcano starts its pods together, and 4 of 4 have no place. None of 5 nodes fits: too few GPUs left (5).",
}

// TestWhyJobsWait: the page explains why jobs wait, from objects of Kueue and Volcano and from
// messages of a real scheduler.
func TestWhyJobsWait(t *testing.T) {
	s := stage.NewPlane(t, dbtest.Empty(t, "sqlite"), controlplane.Options{}, false)
	cluster, err := kube.Connect(kube.Config{REST: s.Plane.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	crds.Install(t, cluster, queueTypes...)
	if _, err := s.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ml"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	q := &queueing{Stage: s, dynamic: dynamic.NewForConfigOrDie(s.Plane.RESTConfig())}
	q.kueue()
	q.scheduler()
	q.volcano()
	s.Record("jobs.batch,pods,events," + strings.Join(queueTypes, ","))
	s.Portal()
	for name, want := range whys {
		q.says(name, want)
	}
	place := func(name string) string {
		list, err := client.Read[api.JobList](t, s.Base+"/api/v1/jobs?name="+name)
		if err != nil || len(list.Jobs) != 1 {
			return fmt.Sprintf("%v %v", list.Jobs, err)
		}
		return fmt.Sprint(list.Jobs[0].Detail.Place)
	}
	for name, want := range map[string]string{"waithigh": "1", "cpuwait": "4", "strict1": "2", "slow1": "0", "st1": "1"} {
		patience.Until(t, "the list has the place of "+name, func() string {
			if got := place(name); got != want {
				return got + ", want " + want
			}
			return ""
		})
	}
}

// queueing creates waiting jobs.
type queueing struct {
	*stage.Stage
	dynamic *dynamic.DynamicClient
}

// says waits until the portal gives a reason why a job waits.
func (q *queueing) says(job, want string) {
	q.T.Helper()
	patience.Until(q.T, "the reason of "+job, func() string {
		list, err := client.Read[api.JobList](q.T, q.Base+"/api/v1/jobs?name="+url.QueryEscape(job))
		if err != nil || len(list.Jobs) != 1 {
			return fmt.Sprintf("%d jobs, %v", len(list.Jobs), err)
		}
		j := list.Jobs[0]
		w, err := client.Read[api.Waiting](q.T, q.Base+"/api/v1/jobs/"+j.Cluster+"/"+j.UID+"/waiting")
		if got := ago.ReplaceAllString(w.Sentence, "AGO"); err != nil || !strings.HasSuffix(got, want) {
			return fmt.Sprintf("%v\ngot  %s\nwant %s", err, got, want)
		}
		return ""
	})
}

// kueue creates Kueue's objects, with the jobs of the workloads.
func (q *queueing) kueue() {
	q.T.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "kueue.yaml"))
	if err != nil {
		q.T.Fatal(err)
	}
	for n, part := range strings.Split(strings.ReplaceAll(string(text), "LATER", time.Now().Add(time.Hour).UTC().Format(time.RFC3339)), "\n---\n") {
		o := q.parse(part)
		if o.GetKind() == "Workload" {
			q.owner(o)
			// Creation times only have seconds, so priorities keep the order of the file.
			if p, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "priority"); fmt.Sprint(p) == "0" {
				_ = unstructured.SetNestedField(o.Object, int64(900-n), "spec", "priority")
			}
		}
		q.create(o)
	}
}

// owner creates the job of a workload, and makes it the owner.
func (q *queueing) owner(w *unstructured.Unstructured) {
	q.T.Helper()
	owners := w.GetOwnerReferences()
	queue, _, _ := unstructured.NestedString(w.Object, "spec", "queueName")
	job := stage.NewJob(owners[0].Name, map[string]string{"kueue.x-k8s.io/queue-name": queue}, nil)
	job.Namespace = "ml"
	suspend := true
	job.Spec.Suspend = &suspend
	owners[0].UID = types.UID(q.job(job))
	w.SetOwnerReferences(owners)
}

// job creates a job, and returns its UID.
func (q *queueing) job(job *batchv1.Job) string {
	q.T.Helper()
	made, err := q.Client.BatchV1().Jobs("ml").Create(q.T.Context(), job, metav1.CreateOptions{})
	if err != nil {
		q.T.Fatal(err)
	}
	return string(made.UID)
}

// ago matches a duration in a sentence.
var ago = regexp.MustCompile(`\b\d+[dhms]( \d+[dhms])?\b`)

func (q *queueing) parse(text string) *unstructured.Unstructured {
	q.T.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		q.T.Fatal(err)
	}
	return o
}

// create creates an object with its status.
func (q *queueing) create(o *unstructured.Unstructured) (uid string) {
	q.T.Helper()
	kind := o.GroupVersionKind()
	all := q.dynamic.Resource(schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: strings.ToLower(kind.Kind) + "s"})
	var of dynamic.ResourceInterface = all
	if o.GetNamespace() != "" {
		of = all.Namespace(o.GetNamespace())
	}
	made, err := of.Create(q.T.Context(), o, metav1.CreateOptions{})
	if err == nil {
		made.Object["status"] = o.Object["status"]
		_, err = of.UpdateStatus(q.T.Context(), made, metav1.UpdateOptions{})
	}
	if err != nil {
		q.T.Fatalf("%s %s: %v", kind.Kind, o.GetName(), err)
	}
	return string(made.GetUID())
}

// scheduler creates jobs with pods that the scheduler cannot place.
func (q *queueing) scheduler() {
	q.T.Helper()
	for node, patch := range map[string]string{"node-3": `{"spec":{"taints":[{"key":"team","value":"vision","effect":"NoSchedule"}]}}`, "node-4": `{"spec":{"unschedulable":true}}`} {
		if _, err := q.Client.CoreV1().Nodes().Patch(q.T.Context(), node, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			q.T.Fatal(err)
		}
	}
	for name, change := range map[string]func(*corev1.PodSpec){
		"unplaced": func(p *corev1.PodSpec) {
			p.Containers[0].Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		},
		"unbound": func(p *corev1.PodSpec) {
			p.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "missing"}}}}
		},
		"gated": func(p *corev1.PodSpec) { p.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}} },
	} {
		job := stage.NewJob(name, nil, nil)
		job.Namespace = "ml"
		change(&job.Spec.Template.Spec)
		q.job(job)
	}
}

// volcano creates Volcano's objects.
func (q *queueing) volcano() {
	q.T.Helper()
	q.create(q.parse(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 1, capability: {nvidia.com/gpu: "16"}}
status: {state: Open, allocated: {nvidia.com/gpu: "12"}}`))
	uid := q.create(q.parse(`
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {namespace: ml, name: gang}
spec: {queue: research, minAvailable: 4, tasks: [{name: worker, replicas: 4, template: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: "2"}}}]}}}]}
status: {state: {phase: Pending, lastTransitionTime: "2026-03-01T09:00:00Z"}}`))
	q.create(q.parse(strings.ReplaceAll(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata:
  namespace: ml
  name: gang-1
  ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: gang, uid: UID, controller: true}]
spec: {minMember: 4, queue: research, minResources: {nvidia.com/gpu: "8"}}
status:
  phase: Inqueue
  conditions:
  - {type: Unschedulable, status: "True", reason: NotEnoughResources, transitionID: a, lastTransitionTime: "2026-03-01T09:00:00Z", message: "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 1 Unschedulable, 3 Undetermined. Origin reason is gang-worker-0: 0/5 nodes are unavailable: 5 Insufficient nvidia.com/gpu."}`, "uid: UID", "uid: "+uid)))
}
