package readapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/portal/api"
)

// moment is what the portal answered at an instant.
type moment struct {
	at   time.Time
	list string
}

// told returns what a list says, without what goes on: how long open jobs have waited or run, and
// what nobody knew then.
func told(l api.JobList) string {
	var text strings.Builder
	text.WriteString(fmt.Sprintf("all %v matching %v states %v:", l.All, l.Matching, l.States))
	for _, j := range l.Jobs {
		if j.State == "Restarting" {
			j.Tries = 0 // between two attempts, the body of a job counts the next one
		}
		text.WriteString(fmt.Sprintf(" %s %s since %v, %d tries, %d spans, ended %v;", j.Name, j.State, j.Since, j.Tries, len(j.Life), j.Ended))
	}
	return text.String()
}

// TestAt: a list, the counts and a job as of an instant are what they were at the instant.
func TestAt(t *testing.T) {
	w := newWorld(t)
	w.serve(nil)
	var moments []moment
	note := func() {
		w.settle()
		l := read[api.JobList](w, api.PathJobs+"?sort=name")
		moments = append(moments, moment{l.At, told(l)})
		// The next change has another millisecond.
		w.until("a millisecond has passed", func() bool { return time.Since(l.At) > 2*time.Millisecond })
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
		t.Errorf("states %v", states)
	}
	if status, text := w.get("*", jobPath(api.PathJob, string(first.UID))+"?at=720h"); status != 404 {
		t.Errorf("before it was submitted: %d %s", status, text)
	}
	if status, text := w.get("*", api.PathJobs+"?at=yesterday"); status != 422 && status != 400 {
		t.Errorf("no time: %d %s", status, text)
	}
}
