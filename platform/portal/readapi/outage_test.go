package readapi_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/readapi"
)

// TestDatabaseAway: without the database, lists, counts, suggestions and the head of a job are
// answered from the index. Other requests get a problem that names the cause, without the
// address of the database.
func TestDatabaseAway(t *testing.T) {
	w, a, _ := twoTeams(t)
	w.serve(nil)
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	list := read[api.JobList](w, api.PathJobs)
	if len(list.Jobs) != 2 || list.All.N != 2 {
		t.Errorf("jobs without the database: got %+v, want 2", list)
	}
	if c := read[api.JobCounts](w, api.PathCounts); c.All.N != 2 {
		t.Errorf("counts without the database: got %+v, want 2", c)
	}
	if s := read[api.Suggestions](w, api.PathSuggest+"?key=namespace"); len(s.Items) != 2 {
		t.Errorf("suggestions without the database: got %+v, want 2", s)
	}
	d := read[api.JobDetail](w, jobPath(api.PathJob, string(a.UID)))
	if d.Job.Name != "alpha" || d.Job.State != "Failed" || d.Tabs.Pods != -1 {
		t.Errorf("job without the database: got %+v, want alpha, Failed, an unknown number of Pods", d)
	}
	for _, path := range []string{api.PathTransitions, api.PathPods, api.PathRevisions, api.PathLogs, api.PathOperations} {
		status, text := w.get("*", jobPath(path, string(a.UID)))
		var p api.Problem
		if err := json.Unmarshal([]byte(text), &p); err != nil || status < 500 || p.Instance == "" || strings.Contains(text, "history.db") || strings.Contains(text, "sql") {
			t.Errorf("%s without the database: got status %d and %s, want a problem with an instance and no details", path, status, text)
		}
	}
}

// TestLoading: until the index is loaded, answers have its progress.
func TestLoading(t *testing.T) {
	w := newWorld(t)
	w.serve(func(c *readapi.Config) {
		c.Index = jobindex.New(jobindex.Config{DB: w.db, Logger: slog.New(slog.DiscardHandler)})
	})
	for _, path := range []string{api.PathJobs, api.PathSession, api.PathOperations, jobPath(api.PathJob, "x")} {
		if status, text := w.get("*", path); status != http.StatusServiceUnavailable || !strings.Contains(text, api.ProblemLoading) {
			t.Errorf("%s while the index loads: got status %d and %s, want 503", path, status, text)
		}
	}
}

// TestJob: the page of a job has its rows, the events of its pods, its notifications, and the
// neighbors in its chain.
func TestJob(t *testing.T) {
	w, _, b := twoTeams(t)
	w.serve(nil)
	path := func(p string) string { return jobPath(p, string(b.UID)) }
	list := read[api.JobList](w, api.PathJobs+"?namespace=team-b")
	if j := list.Jobs[0]; len(list.Jobs) != 1 || j.Detail != (api.Detail{Word: "OOMKilled", More: "exit code 137", Strong: true, ExitCode: 137}) || j.Message != "of bravo" {
		t.Errorf("got jobs %+v, want one, OOMKilled with exit code 137", list.Jobs)
	}
	events := read[api.EventList](w, path(api.PathEvents))
	if len(events.Events) != 1 || events.Events[0].Reason != "bravo-reason" || !events.Recorded || events.Live {
		t.Errorf("got events %+v, want the recorded one of bravo", events)
	}
	d := read[api.JobDetail](w, path(api.PathJob))
	if d.Nodes != 1 || d.NodeNames[0] != "node-of-b" || d.Tabs.Pods != 1 || d.Tabs.LogLines != 1 || d.Tabs.Notifications != 1 || d.Tabs.Revisions < 1 || d.HistoryUntil.Sub(d.Job.Ended) != 90*24*time.Hour {
		t.Errorf("got job %+v, want one node, Pod, log line and notification, and history for 90 days", d)
	}
	told := read[api.DeliveryList](w, path(api.PathNotifications))
	if one := told.Deliveries[0]; len(told.Deliveries) != 1 || one.Receiver != "b…@example.com" || one.State != "waiting" || one.Job == nil || one.Job.Name != "bravo" || !strings.Contains(one.Title, "bravo") {
		t.Errorf("got notifications %+v, want one about bravo with a masked receiver", told)
	}
	pods := read[api.PodList](w, path(api.PathPods))
	if p := pods.Pods[0]; len(pods.Pods) != 1 || p.Node != "node-of-b" || p.ExitCode == nil || *p.ExitCode != 137 || p.State != "Failed" || !pods.Recorded {
		t.Errorf("got pods %+v, want one, Failed on node-of-b with exit code 137", pods)
	}
}

// TestDiffOfJobs: the difference of two jobs names both, and by default a revision is compared with
// the previous one.
func TestDiffOfJobs(t *testing.T) {
	w := newWorld(t)
	one := w.create(newJob("team-a", "one")).(*batchv1.Job)
	second := newJob("team-a", "two")
	second.Spec.Template.Spec.Containers[0].Image = "train:v2"
	two := w.create(second).(*batchv1.Job)
	w.settle()
	if _, err := apitest.Modify(w.srv, newJob("team-a", "two"), func(j *batchv1.Job) {
		j.Status.StartTime = &metav1.Time{Time: time.Now()}
		j.Status.Conditions = []batchv1.JobCondition{{Type: "Suspended", Status: corev1.ConditionFalse}}
	}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.serve(nil)
	path := jobPath(api.PathDiff, string(two.UID))
	d := read[api.Diff](w, path+"?other="+string(one.UID))
	var changed []string
	for _, l := range d.Lines {
		if (l.Op == "-" || l.Op == "+") && strings.Contains(l.Text, "image") {
			changed = append(changed, l.Op+strings.TrimSpace(l.Text))
		}
	}
	if d.Left == nil || d.Left.Name != "one" || d.Right.Name != "two" || strings.Join(changed, " ") != "-- image: train:v1 +- image: train:v2" {
		t.Errorf("got changes %v in %+v, want the image, from job one to job two", changed, d)
	}
	d = read[api.Diff](w, path)
	if d.Left != nil || d.From == d.To || d.Differ == 0 {
		t.Errorf("diff of revisions: got %+v, want two revisions of one job that differ", d)
	}
	for _, l := range d.Lines {
		if (l.Op == "-" || l.Op == "+") && !l.Bookkeeping && !strings.Contains(l.Text, "status") && !strings.HasPrefix(l.Text, "  ") {
			t.Errorf("got line %+v changed, want only the status", l)
		}
	}
	if same := read[api.Diff](w, path+"?from="+d.To+"&to="+d.To); same.Differ != 0 {
		t.Errorf("diff of a revision with itself: got %+v, want no line that differs", same)
	}
}
