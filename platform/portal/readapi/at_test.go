package readapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// moment has the portal's answers at an instant.
type moment struct {
	at   time.Time
	list string
}

// told returns the content of a list without values that depend on the time of the request: how
// long open jobs have waited or run, and facts that were unknown at the instant.
func told(l api.JobList) string {
	var text strings.Builder
	text.WriteString(fmt.Sprintf("all %v matching %v states %v:", l.All, l.Matching, l.States))
	for _, j := range l.Jobs {
		text.WriteString(fmt.Sprintf(" %s %s since %v, %d tries, %d spans, ended %v;", j.Name, j.State, j.Since, j.Tries, len(j.Life), j.Ended))
	}
	return text.String()
}

// TestAt: a list, the counts and a job at an instant equal the answers at that time.
func TestAt(t *testing.T) {
	w := newWorld(t)
	w.serve(nil)
	var moments []moment
	note := func() {
		w.settle()
		l := read[api.JobList](w, api.PathJobs+"?sort=name")
		moments = append(moments, moment{l.At, told(l)})
		// The next change must have another millisecond.
		patience.True(t, "a millisecond has passed", func() bool { return time.Now().After(l.At.Add(2 * time.Millisecond)) })
	}
	modify := func(name string, change func(*batchv1.JobStatus)) {
		t.Helper()
		if _, err := apitest.Modify(w.srv, newJob("team-a", name), func(j *batchv1.Job) { change(&j.Status) }); err != nil {
			t.Fatal(err)
		}
		note()
	}
	one := int32(1)
	first := w.create(newJob("team-a", "one")).(*batchv1.Job)
	note()
	modify("one", func(s *batchv1.JobStatus) { s.Active, s.Ready = 1, &one })
	modify("one", func(s *batchv1.JobStatus) { s.Active, s.Ready, s.Failed = 1, nil, 1 })
	modify("one", func(s *batchv1.JobStatus) { s.Ready = &one })
	modify("one", func(s *batchv1.JobStatus) {
		s.Conditions = []batchv1.JobCondition{{Type: "Complete", Status: corev1.ConditionTrue}}
	})
	if err := w.srv.Delete(newJob("team-a", "one")); err != nil {
		t.Fatal(err)
	}
	note()
	states := map[string]bool{}
	for i, m := range moments {
		at := "at=" + url.QueryEscape(m.at.Format(time.RFC3339Nano))
		l := read[api.JobList](w, api.PathJobs+"?sort=name&"+at)
		if got := told(l); got != m.list || !l.At.Equal(m.at) {
			t.Errorf("at instant %d:\n%s\nbut then it was\n%s", i, got, m.list)
		}
		if c := read[api.JobCounts](w, api.PathCounts+"?"+at); fmt.Sprint(c.States, c.All) != fmt.Sprint(l.States, l.All) {
			t.Errorf("counts at instant %d: %v, %v", i, c.States, l.States)
		}
		d := read[api.JobDetail](w, jobPath(api.PathJob, string(first.UID))+"?"+at)
		if d.Job.State != l.Jobs[0].State || !d.At.Equal(m.at) {
			t.Errorf("job at instant %d: %s", i, d.Job.State)
		}
		states[d.Job.State] = true
	}
	if len(states) != 4 {
		t.Errorf("got states %v, want 4", states)
	}
	if status, text := w.get("*", jobPath(api.PathJob, string(first.UID))+"?at=720h"); status != 404 {
		t.Errorf("before it was submitted: %d %s", status, text)
	}
	if status, text := w.get("*", api.PathJobs+"?at=yesterday"); status != 422 && status != 400 {
		t.Errorf("no time: %d %s", status, text)
	}
}

// pageOf returns the content of the tabs of a job, without values that depend on the time of the
// request.
func pageOf(w *world, job *batchv1.Job, at string) string {
	var text strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&text, format+"; ", args...) }
	uid := string(job.UID)
	d := read[api.JobDetail](w, jobPath(api.PathJob, uid)+at)
	say("%s, tabs %+v, on %v", d.Job.State, d.Tabs, d.NodeNames)
	for _, t := range read[api.TransitionList](w, jobPath(api.PathTransitions, uid)+at).Transitions {
		say("%s at %s", t.To, t.Version)
	}
	for _, r := range read[api.RevisionList](w, jobPath(api.PathRevisions, uid)+at).Revisions {
		say("revision %s %s", r.Version, r.State)
	}
	for _, p := range read[api.PodList](w, jobPath(api.PathPods, uid)+at).Pods {
		exit := -1
		if p.ExitCode != nil {
			exit = *p.ExitCode
		}
		say("%s %s %s in attempt %d, exit %d, %d spans, ended %v", p.Name, p.State, p.Reason, p.Attempt, exit, len(p.Life), p.Ended)
	}
	for _, a := range read[api.AttemptList](w, jobPath(api.PathAttempts, uid)+at).Attempts {
		say("attempt %d %s %s %s on %v of %d pods", a.Number, a.State, a.Reason, a.FirstFailure, a.Nodes, a.Pods)
	}
	logs := read[api.LogPage](w, jobPath(api.PathLogs, uid)+at)
	for _, l := range logs.Lines {
		say("%s: %s", l.Pod, l.Text)
	}
	say("%+v", logs.Sources)
	for _, e := range read[api.EventList](w, jobPath(api.PathEvents, uid)+at).Events {
		say("event %s", e.Reason)
	}
	return text.String()
}

// TestJobAt: all tabs of a job at an instant equal the answers at that time.
func TestJobAt(t *testing.T) {
	w := newWorld(t)
	w.serve(nil)
	job := w.create(newJob("team-a", "one")).(*batchv1.Job)
	var moments []time.Time
	var pages []string
	note := func() {
		t.Helper()
		w.settle()
		// The instant is in whole milliseconds, but writes are not.
		written := time.Now()
		patience.True(t, "a millisecond has passed", func() bool { return time.Now().After(written.Add(2 * time.Millisecond)) })
		at := read[api.JobList](w, api.PathJobs).At
		moments, pages = append(moments, at), append(pages, pageOf(w, job, ""))
		patience.True(t, "a millisecond has passed", func() bool { return time.Now().After(at.Add(2 * time.Millisecond)) })
	}
	say := func(pod string, lines int) {
		at := time.Now()
		for i := range lines {
			if err := w.srv.WriteLogAt(at, "team-a", pod, "main", fmt.Sprintf("line %d\n", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := func(f func(*batchv1.JobStatus)) {
		if _, err := apitest.Modify(w.srv, newJob("team-a", "one"), func(j *batchv1.Job) { f(&j.Status) }); err != nil {
			t.Fatal(err)
		}
	}
	end := func(pod *corev1.Pod, exit int32, reason string) {
		if _, err := apitest.Modify(w.srv, pod, func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodFailed
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Reason: reason, FinishedAt: metav1.Now()}}}}
		}); err != nil {
			t.Fatal(err)
		}
	}
	one := int32(1)
	note()
	first := w.create(newPod(job, "one-aaaaa", "node-1", 0)).(*corev1.Pod)
	change(func(s *batchv1.JobStatus) { s.Active, s.Ready = 1, &one })
	say("one-aaaaa", 3)
	note()
	say("one-aaaaa", 200)
	note()
	end(first, 137, "OOMKilled")
	change(func(s *batchv1.JobStatus) { s.Active, s.Ready, s.Failed = 1, nil, 1 })
	note()
	w.create(newPod(job, "one-bbbbb", "node-2", 0))
	change(func(s *batchv1.JobStatus) { s.Ready = &one })
	say("one-bbbbb", 100)
	note()
	change(func(s *batchv1.JobStatus) {
		s.Active, s.Ready = 0, nil
		s.Conditions = []batchv1.JobCondition{{Type: "Complete", Status: corev1.ConditionTrue}}
	})
	note()
	for i, at := range moments {
		if got := pageOf(w, job, "?at="+url.QueryEscape(at.Format(time.RFC3339Nano))); got != pages[i] {
			t.Errorf("at instant %d:\n%s\nbut then it was\n%s", i, got, pages[i])
		}
	}
	for _, tab := range []string{api.PathTransitions, api.PathRevisions, api.PathPods, api.PathAttempts, api.PathLogs, api.PathEvents, api.PathNotifications} {
		if status, text := w.get("*", jobPath(tab, string(job.UID))+"?at=720h"); status != 404 {
			t.Errorf("%s before the job was submitted: %d %s", tab, status, text)
		}
	}
}

// TestJobUnchanged: a client with the current answer about a job gets 304 until the job
// changes.
func TestJobUnchanged(t *testing.T) {
	w := newWorld(t)
	w.serve(nil)
	job := w.create(newJob("team-a", "one")).(*batchv1.Job)
	end := func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: "Complete", Status: corev1.ConditionTrue}}
	}
	if _, err := apitest.Modify(w.srv, newJob("team-a", "one"), end); err != nil {
		t.Fatal(err)
	}
	w.settle()
	ask := func(tag string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.http.URL+api.Prefix+jobPath(api.PathJob, string(job.UID)), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("If-None-Match", tag)
		r.Header.Set("X-Person", "*")
		resp, err := w.http.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("ETag")
	}
	_, tag := ask("")
	w.create(newJob("team-a", "two")) // moves the feed
	w.settle()
	if status, _ := ask(tag); status != http.StatusNotModified {
		t.Errorf("nothing has changed: %d", status)
	}
	if err := w.srv.Delete(newJob("team-a", "one")); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if status, other := ask(tag); status != http.StatusOK || other == tag {
		t.Errorf("the job was deleted: %d", status)
	}
}
