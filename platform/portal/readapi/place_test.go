package readapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/readapi"
)

// apply creates an object from YAML.
func (w *world) apply(text string) {
	w.t.Helper()
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		w.t.Fatalf("not YAML: %v in %s", err, text)
	}
	if _, err := w.srv.Create(&unstructured.Unstructured{Object: fields}); err != nil {
		w.t.Fatalf("create failed: %v: %s", err, text)
	}
}

// TestPlaceInRows: rows and the head of a job have the place in line, which counts jobs of
// others. A person who sees one namespace learns nothing else about them. An instant has no
// line.
func TestPlaceInRows(t *testing.T) {
	w := newWorld(t, "workloads.kueue.x-k8s.io", "clusterqueues.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io")
	w.serve(func(*readapi.Config) {})
	w.apply(`{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: all}, spec: {resourceGroups: []}}`)
	uids := map[string]string{}
	for i, name := range []string{"b-1", "b-2", "a-1", "b-3", "a-2"} { // the first ones have the highest priority
		namespace := "team-" + name[:1]
		if i == 0 || name == "a-1" {
			w.apply(fmt.Sprintf(`{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {namespace: %s, name: gpu-%s}, spec: {clusterQueue: all}}`, namespace, namespace))
		}
		yes := true
		j := newJob(namespace, name)
		j.Spec.Suspend = &yes
		uids[name] = string(w.create(j).(*batchv1.Job).UID)
		w.apply(fmt.Sprintf(`{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {namespace: %s, name: job-%s, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: %[2]s, uid: %[3]s, controller: true}]},
  spec: {queueName: gpu-%[1]s, priority: %[4]d, podSets: []}}`, namespace, name, uids[name], 10-i))
	}
	w.settle()
	rows := func(person, query string) string {
		var list api.JobList
		_, text := w.get(person, api.PathJobs+"?sort=name"+query)
		decode(t, text, &list)
		var all []string
		for _, j := range list.Jobs {
			all = append(all, fmt.Sprintf("%s %d %s%s", j.Name, j.Detail.Place, j.Detail.Word, j.Detail.More))
		}
		return strings.Join(all, ", ")
	}
	if got, want := rows("team-a", ""), "a-1 3 3rd in line, a-2 5 5th in line"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := rows("*", ""), "a-1 3 3rd in line, a-2 5 5th in line, b-1 1 1st in line, b-2 2 2nd in line, b-3 4 4th in line"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	then := read[api.JobList](w, api.PathJobs).At.Format(time.RFC3339Nano)
	if got := rows("*", "&at="+then); strings.Contains(got, "in line") || !strings.Contains(got, "b-3") {
		t.Errorf("as of an instant: %s", got)
	}
	head := read[api.JobDetail](w, jobPath(api.PathJob, uids["a-2"]))
	page := read[api.Waiting](w, jobPath(api.PathWaiting, uids["a-2"]))
	if page.Line == nil || head.Job.Detail.Place != 5 || page.Line.Place != 5 {
		t.Errorf("the head has %+v, why it waits %+v", head.Job.Detail, page.Line)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("not YAML: %v in %s", err, text)
	}
}
