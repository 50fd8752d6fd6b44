package readapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/readapi"
	"github.com/vedette-io/vedette/platform/portal/web"
)

const hostileLine = "\x1b]0;pwned\x07<script>alert(1)</script>\u202e\x00\t日本"

// loggedWorld has a job with a pod that has written some lines.
func loggedWorld(t *testing.T, lines int) (*world, *batchv1.Job, []string) {
	t.Helper()
	w := newWorld(t)
	job := w.create(newJob("team-a", "talks")).(*batchv1.Job)
	w.create(newPod(job, "talks-abcde", "node-1", 0))
	var all []string
	at := time.Now().Add(-time.Hour).Truncate(time.Second) // an input: the time of lines
	for i := range lines {
		text := fmt.Sprintf("line %d of %d", i, lines)
		if i == 3 {
			text = hostileLine
		}
		if i%4 != 0 { // some have the same time
			at = at.Add(time.Millisecond)
		}
		if err := w.srv.WriteLogAt(at, "team-a", "talks-abcde", "main", text+"\n"); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	w.settle()
	return w, job, all
}

// TestLogPages: the pages of a log, backwards from its end and forwards, have each line once.
func TestLogPages(t *testing.T) {
	w, job, want := loggedWorld(t, 37)
	w.serve(nil)
	path := jobPath(api.PathLogs, string(job.UID))
	for _, limit := range []int{1, 4, 5, 36, 37, 100} {
		page := read[api.LogPage](w, fmt.Sprintf("%s?limit=%d", path, limit))
		end := page.Next
		var got []string
		for {
			var texts []string
			for _, l := range page.Lines {
				texts = append(texts, l.Text)
			}
			if len(texts) > limit {
				t.Fatalf("limit %d: got %d lines, want at most the limit", limit, len(texts))
			}
			if got = append(texts, got...); page.Previous == "" {
				break
			}
			page = read[api.LogPage](w, fmt.Sprintf("%s?limit=%d&after=%s", path, limit, page.Previous))
		}
		if !slices.Equal(got, want) {
			t.Errorf("backwards by %d:\n%q\nwant\n%q", limit, got, want)
		}
		// Forwards from the first page on.
		for got = got[:0]; ; {
			for _, l := range page.Lines {
				got = append(got, l.Text)
			}
			if len(got) >= len(want) {
				break
			}
			page = read[api.LogPage](w, fmt.Sprintf("%s?limit=%d&after=%s", path, limit, page.Next))
			if len(page.Lines) == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("forwards by %d:\n%q\nwant\n%q", limit, got, want)
		}
		if more := read[api.LogPage](w, path+"?after="+end); len(more.Lines) != 0 || !more.Live {
			t.Errorf("behind the end: %+v", more.Lines)
		}
	}
	for _, bad := range []string{"x", "YjEsMg==", strings.Repeat("a", 100)} {
		if status, _ := w.get("*", path+"?after="+url.QueryEscape(bad)); status/100 != 4 {
			t.Errorf("cursor %q: got status %d, want 4xx", bad, status)
		}
	}
}

// TestFollow: a log is followed to the end of its job, with unchanged lines.
func TestFollow(t *testing.T) {
	w, job, want := loggedWorld(t, 7)
	w.serve(nil)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(w.http.URL, client.Options{HTTP: &http.Client{Transport: person{transport}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ref := api.JobRef{Cluster: clusterName, UID: string(job.UID)}
	present, found := 0, 0
	_, err = c.FollowLogs(t.Context(), ref, url.Values{"present": {"true"}, "tail": {"2"}}, client.LogHandler{
		Found: func(f api.LogsFound) { found = f.Logs },
		Line:  func(api.LogLine) error { present++; return nil },
	})
	if err != nil || present != 2*found || found == 0 {
		t.Errorf("the last 2 lines of %d logs are %d: %v", found, present, err)
	}
	_, err = c.FollowLogs(t.Context(), ref, nil, client.LogHandler{Line: func(l api.LogLine) error {
		if l.Note == "" {
			got = append(got, l.Text)
		}
		if len(got) != len(want) {
			return nil
		}
		if l.Text == "the end" {
			return w.end(job)
		}
		want = append(want, "the end")
		return w.srv.WriteLog("team-a", "talks-abcde", "main", "the end\n")
	}})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%q\nwant\n%q", err, got, want)
	}
}

// person sends requests as a person who sees everything.
type person struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p person) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Person", "*")
	return p.RoundTripper.RoundTrip(r)
}

// end makes a job and its pod succeed.
func (w *world) end(job *batchv1.Job) error {
	_, err := apitest.Modify(w.srv, newPod(job, "talks-abcde", "node-1", 0), func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodSucceeded
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	})
	if err != nil {
		return err
	}
	_, err = apitest.Modify(w.srv, newJob("team-a", "talks"), func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: "Complete", Status: corev1.ConditionTrue}}
	})
	return err
}

// TestLogsNeedTheirRight: a person who may not read logs gets none, neither live nor kept, nor
// the last lines of a failure.
func TestLogsNeedTheirRight(t *testing.T) {
	w, _, b := twoTeams(t)
	allowed := false
	w.serve(func(c *readapi.Config) {
		c.May = func(_ context.Context, r access.Right) error {
			if r.Subresource == "log" && !allowed {
				return web.Denied("no", "kind: Role")
			}
			return nil
		}
	})
	logs, failure := jobPath(api.PathLogs, string(b.UID)), jobPath(api.PathFailure, string(b.UID))
	for _, path := range []string{logs, logs + "?follow=true"} {
		if status, text := w.get("*", path); status != 403 || !strings.Contains(text, "kind: Role") {
			t.Errorf("%s: got status %d and %s, want 403 and a Role", path, status, text)
		}
	}
	if _, text := w.get("*", failure); strings.Contains(text, "log of b") {
		t.Errorf("failure without the right: got %s, want no line of the log", text)
	}
	if d := read[api.JobDetail](w, jobPath(api.PathJob, string(b.UID))); slices.Contains(d.May, "logs") {
		t.Errorf("got the rights %v, want no logs", d.May)
	}
	allowed = true
	page := read[api.LogPage](w, logs)
	if _, text := w.get("*", failure); !strings.Contains(text, "log of b") {
		t.Errorf("failure with the right: got %s, want the line of the log", text)
	}
	if n := len(page.Lines); n == 0 || page.Lines[n-1].Text != "log of b" || !page.Lines[n-1].Kept || len(page.Kept) != 1 || page.Kept[0].Lines != 1 {
		t.Errorf("got %+v, want the kept log of b with one line", page)
	}
}

// TestKeptIfTheClusterIsAway: the kept log is shown if the node, the API server or the network
// fails while the pod exists. The page notes that it shows only kept lines.
func TestKeptIfTheClusterIsAway(t *testing.T) {
	w, job, want := loggedWorld(t, 5)
	w.keepLog(job, "talks-abcde", want)
	w.serve(nil)
	path := jobPath(api.PathLogs, string(job.UID))
	if page := read[api.LogPage](w, path); page.Away || !page.Live || len(page.Lines) != len(want) || page.Lines[0].Kept {
		t.Fatalf("from the node: %+v", page)
	}
	for name, f := range map[string]apitest.Fault{
		"node":       {Match: apitest.Match{Where: func(r apitest.Request) bool { return r.Subresource == "log" }}, Action: apitest.Respond(apitest.Failure(http.StatusBadRequest, 0))},
		"API server": {Match: apitest.Match{Resource: "pods"}, Action: apitest.Respond(apitest.Failure(http.StatusBadGateway, 0))},
		"silence":    {Match: apitest.Match{Verb: apitest.VerbList, Resource: "pods"}, Action: apitest.Hang()},
		"right":      {Match: apitest.Match{Verb: apitest.VerbList, Resource: "pods"}, Action: apitest.Respond(apitest.Failure(http.StatusForbidden, 0))},
	} {
		f.Times = apitest.Always
		armed, err := w.srv.Inject(f)
		if err != nil {
			t.Fatal(err)
		}
		page := read[api.LogPage](w, path)
		armed.Release()
		var got []string
		for _, l := range page.Lines {
			if l.Note == "" && l.Kept {
				got = append(got, l.Text)
			}
		}
		if !slices.Equal(got, want) || page.Away != (name != "node") || page.Live && page.Away {
			t.Errorf("%s: got away %v, live %v and %+v; want %v", name, page.Away, page.Live, page.Lines, want)
		}
	}
}

// keepLog keeps lines of a pod of a job, as the recorder does when the container ends.
func (w *world) keepLog(j *batchv1.Job, pod string, texts []string) {
	w.t.Helper()
	found, err := w.srv.Get(newPod(j, pod, "node-1", 0))
	if err != nil {
		w.t.Fatal(err)
	}
	log := joblog.Log{
		ClusterUID: w.clusterUID(), Namespace: j.Namespace, Pod: pod, PodUID: string(found.GetUID()), Container: "main",
		OwnerUID: string(j.UID), OwnerKind: "Job", OwnerName: j.Name, JobUID: string(j.UID), Started: time.Now(), Fetched: time.Now(),
	}
	var lines []joblog.Line
	for _, text := range texts {
		lines = append(lines, joblog.Line{Time: time.Now(), Text: text})
	}
	if err := joblog.New(w.db, joblog.Limits{}, nil).Put(w.t.Context(), log, lines); err != nil {
		w.t.Fatal(err)
	}
}

// TestOlderLines: a page of older lines is complete although many lines were added after
// it.
func TestOlderLines(t *testing.T) {
	w, job, want := loggedWorld(t, 37)
	w.serve(nil)
	path := jobPath(api.PathLogs, string(job.UID))
	page := read[api.LogPage](w, path+"?limit=4")
	now := time.Now()
	for i := range 300 {
		if err := w.srv.WriteLogAt(now, "team-a", "talks-abcde", "main", fmt.Sprintf("later %d\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for {
		var texts []string
		for _, l := range page.Lines {
			texts = append(texts, l.Text)
		}
		if got = append(texts, got...); page.Previous == "" {
			break
		}
		page = read[api.LogPage](w, path+"?limit=4&after="+page.Previous)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
