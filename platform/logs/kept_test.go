package logs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// archive is a store of kept logs.
type archive struct {
	logs  []joblog.Log
	lines map[int64][]joblog.Line
	err   error
}

// Of implements logs.Kept.
func (a *archive) Of(_ context.Context, of joblog.Selection) (found []joblog.Log, err error) {
	for _, l := range a.logs {
		if slices.Contains(of.UIDs, l.OwnerUID) || slices.Contains(of.UIDs, l.JobUID) {
			found = append(found, l)
		}
	}
	return found, a.err
}

// Lines implements logs.Kept.
func (a *archive) Lines(_ context.Context, log joblog.Log) iter.Seq2[joblog.Line, error] {
	return func(yield func(joblog.Line, error) bool) {
		for _, l := range a.lines[log.ID] {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// keep adds the log of a run of the container "main" of a pod of the stage's job.
func (a *archive) keep(s *stage, pod string, restart, exit, ms int, lines ...string) *joblog.Log {
	a.logs = append(a.logs, joblog.Log{
		ID: int64(len(a.logs) + 1), Namespace: "ml", Pod: pod, PodUID: "uid of " + pod, Container: "main", Restart: restart,
		OwnerUID: s.job.UID, OwnerKind: "Job", OwnerName: s.job.Name, JobUID: s.job.UID, Started: at(ms), Ended: at(ms + 100), ExitCode: exit,
		Lines: len(lines), Fetched: at(ms + 200),
	})
	log := &a.logs[len(a.logs)-1]
	if a.lines == nil {
		a.lines = map[int64][]joblog.Line{}
	}
	for i, text := range lines {
		a.lines[log.ID] = append(a.lines[log.ID], joblog.Line{Time: at(ms + i), Text: text})
	}
	return log
}

// TestNodeAway: if the node does not serve the log of an existing pod, the kept lines are
// read, and a note gives the reason.
func TestNodeAway(t *testing.T) {
	s := newStage(t, apitest.Config{})
	s.pod("first", over(1))
	kept := &archive{}
	live := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "first"}}
	found, err := s.server.Get(live)
	if err != nil {
		t.Fatal(err)
	}
	kept.keep(s, "first", 0, 1, 10, "one", "two").PodUID = string(found.GetUID())
	away := apitest.Fault{
		Match: apitest.Match{Where: func(r apitest.Request) bool { return r.Subresource == "log" }},
		Times: apitest.Always, Action: apitest.Respond(apitest.Failure(http.StatusBadRequest, 0)),
	}
	if _, err := s.server.Inject(away); err != nil {
		t.Fatal(err)
	}
	o := s.options()
	o.Kept = kept
	fetched := "fetched " + at(210).Local().Format("15:04:05")
	same(t, s.read(o),
		"! the log of container main of pod first cannot be read: injected fault: 400 Bad Request; what follows was kept",
		"! kept log of container main of pod first, 2 lines, "+fetched, "first#1 kept one", "first#1 kept two")
}

func TestKeptLogsComeFirst(t *testing.T) {
	s := newStage(t, apitest.Config{})
	kept := &archive{}
	log := kept.keep(s, "first", 0, 1, 10, "one", "two", "three")
	log.LostLines, log.Lost = 1204, "the limit of lines"
	kept.keep(s, "first", 1, 1, 200, "once more")
	s.pod("second")
	s.say(400, "second", "alive")
	o := s.options()
	o.Kept = kept
	fetched := func(ms int) string { return "fetched " + at(ms).Local().Format("15:04:05") }
	want := []string{
		"! kept log of container main of pod first, last 3 lines, " + fetched(210) + "; 1,204 earlier lines were not kept: the limit of lines",
		"first#1 kept one", "first#1 kept two", "first#1 kept three",
		"! kept log of container main of pod first, 1 lines, " + fetched(400),
		"first#2 kept once more", "second#3 alive",
	}
	want[4] = strings.Replace(want[4], "1 lines", "last line", 1)
	same(t, s.read(o), want...)
	o.Tail, o.Attempts = new(2), []int{1}
	same(t, s.read(o), strings.Replace(want[0], "3 lines", "2 lines", 1), want[2], want[3])
	o.Cluster, o.Attempts, o.Tail, o.Since = nil, nil, nil, at(12)
	same(t, s.read(o), want[0], want[3], want[4], want[5])
	kept.err = errors.New("the disk is full")
	if _, err := collect(t.Context(), o); !errors.Is(err, kept.err) {
		t.Errorf("got error %v, want %v", err, kept.err)
	}
}

// TestKeptLogOfALivingPod reads a run that the node no longer has from the database, and
// the other runs from the node.
func TestKeptLogOfALivingPod(t *testing.T) {
	s := newStage(t, apitest.Config{})
	s.pod("a", func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyOnFailure })
	s.modify("a", restarted)
	s.say(200, "a", "second run")
	s.modify("a", restarted)
	s.say(300, "a", "third run")
	kept := &archive{}
	uid := ""
	for l := range logs.Read(t.Context(), s.options()) {
		uid = l.PodUID
	}
	for i, text := range []string{"first run", "second run, kept"} {
		log := kept.keep(s, "a", i, 1, i*100, text)
		log.PodUID = uid
	}
	o := s.options()
	o.Kept = kept
	got := s.read(o)
	same(t, got[1:], "a#1 kept first run", "a#2 second run", "a#3 third run")
}

// cutting ends answers with logs normally after some bytes, like a server that loses the
// node.
type cutting struct {
	http.RoundTripper
	left  *atomic.Int32 // answers to cut
	after int64
}

// RoundTrip implements http.RoundTripper.
func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/log") || c.left.Add(-1) < 0 {
		return resp, err
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, c.after))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), -1
	return resp, nil
}

func TestSilentCut(t *testing.T) {
	for _, after := range []int64{0, 31, 45, 400} {
		s := newStage(t, apitest.Config{})
		config, left := s.server.RESTConfig(), &atomic.Int32{}
		config.WrapTransport = func(rt http.RoundTripper) http.RoundTripper { return &cutting{rt, left, after} }
		cluster, err := kube.Connect(kube.Config{REST: config})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		s.pod("a", over(0))
		var want []string
		for i := range 40 {
			s.say(i*100, "a", fmt.Sprint("line ", i))
			want = append(want, fmt.Sprint("a#1 line ", i))
		}
		o := s.options()
		o.Cluster = cluster
		left.Store(1)
		same(t, s.read(o), want...)
	}
}

func TestPatienceIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a")
		s.say(10, "a", "text of a")
		s.pod("b")
		s.say(20, "b", "text of b")
		broken := apitest.Fault{
			Match: apitest.Match{Name: "a", Where: func(r apitest.Request) bool { return r.Subresource == "log" }}, Times: apitest.Always,
			Action: apitest.Respond(apitest.Failure(http.StatusInternalServerError, 0)),
		}
		if _, err := s.server.Inject(broken); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		same(t, s.read(s.options()), "! the log of container main of pod a cannot be read: injected fault: 500 Internal Server Error", "b#1 text of b")
		if d := time.Since(began); d > 10*time.Second {
			t.Errorf("it took %v", d)
		}
	})
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a")
		s.say(10, "a", "text")
		hang := apitest.Fault{Match: apitest.Match{Where: func(r apitest.Request) bool { return r.Subresource == "log" }}, Times: 1, Action: apitest.Hang()}
		if _, err := s.server.Inject(hang); err != nil {
			t.Fatal(err)
		}
		same(t, s.read(s.options()), "a#1 text") // after a minute without data
	})
}
