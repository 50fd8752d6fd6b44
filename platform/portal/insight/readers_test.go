package insight_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// endedPod is a row of the table of package job.
type endedPod struct {
	Name                      string
	Annotations, Spec, Status map[string]any
	Want                      struct {
		Cause     string
		Container string
		Exit      *int
		Memory    string
	}
}

// endedPods returns the failed pods of the table. Their times are around now.
func endedPods(t *testing.T, now time.Time) (failed []endedPod) {
	t.Helper()
	text, err := os.ReadFile("../../../job/testdata/pods.yaml")
	if err != nil {
		t.Fatal(err)
	}
	at := func(seconds int) string {
		return ` "` + now.Add(time.Duration(seconds)*time.Second).Format(time.RFC3339) + `"}`
	}
	rows := []endedPod{}
	text = []byte(strings.NewReplacer(" T-30}", at(-30), " T-10}", at(-10), " T-0}", at(0)).Replace(string(text)))
	if err := yaml.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Status["phase"] == "Failed" {
			failed = append(failed, r)
		}
	}
	return failed
}

// TestReadersAgree: the history, the list of jobs, the list of pods, the attempts, the page and
// the message name the same cause of one failed pod.
func TestReadersAgree(t *testing.T) {
	for _, row := range endedPods(t, time.Now().UTC()) {
		t.Run(row.Name, func(t *testing.T) {
			s := newScene(t, dbtest.Empty(t, "sqlite"))
			s.create(failedJob("BackoffLimitExceeded", "too often"))
			s.create(podOf(t, &row))
			s.record("jobs.batch", "pods")
			got := map[string]string{
				"history": s.historyCause(), "list": s.listCause(), "pods": s.podsCause(), "attempts": s.attemptCause(), "page": s.pageCause(), "message": s.messageCause(),
			}
			want := said(row.Want.Cause, row.Want.Exit)
			for reader, cause := range got {
				if cause != want && (reader != "pods" || row.Want.Exit != nil) {
					t.Errorf("%s: got %s, want %s", reader, cause, want)
				}
			}
			f := why(t, s, "en")
			switch {
			case row.Want.Memory == "" && f.Memory != nil:
				t.Errorf("the page proposes %+v, want no change of memory", *f.Memory)
			case row.Want.Memory != "" && (f.Memory == nil || f.Memory.Container != row.Want.Container || f.Memory.Limit != row.Want.Memory):
				t.Errorf("the page proposes %+v, want more than %s for %s", f.Memory, row.Want.Memory, row.Want.Container)
			}
		})
	}
}

// podOf returns the YAML of the pod of a row.
func podOf(t *testing.T, row *endedPod) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Pod", "spec": row.Spec, "status": row.Status,
		"metadata": map[string]any{
			"namespace": "ml", "name": "train-x", "annotations": row.Annotations,
			"ownerReferences": []any{map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "UID(train)", "controller": true}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// said is a cause with its exit code as the test compares it.
func said(cause string, exit *int) string {
	if exit == nil {
		return cause
	}
	return fmt.Sprint(cause, " ", *exit)
}

// object returns the recorded object of a type.
func (s *scene) object(resource string) history.Object {
	s.Helper()
	page, err := history.New(s.db).ListObjects(s.Context(), history.Filter{Types: []history.Type{{Resource: resource, Group: map[string]string{"jobs": "batch"}[resource]}}}, history.Paging{})
	if err != nil || len(page.Items) != 1 {
		s.Fatalf("%s: got %d objects, error %v; want 1", resource, len(page.Items), err)
	}
	return page.Items[0]
}

func (s *scene) historyCause() string {
	pod := s.object("pods")
	code, found := job.ExitCodeIn(pod.Message)
	cause := string(job.CauseOf(pod.Reason))
	if found {
		return cause + " " + code
	}
	return cause
}

func (s *scene) listCause() string {
	s.Helper()
	job := s.job("ml", "train")
	extras, err := jobview.NewEnricher(history.New(s.db)).Extras(s.Context(), []jobindex.Row{*job}, time.Time{})
	if err != nil {
		s.Fatal(err)
	}
	return said(extras[job.ID].Cause, extras[job.ID].ExitCode)
}

// set returns the pods of the job.
func (s *scene) set() *jobview.PodSet {
	s.Helper()
	pods := []history.Object{s.object("pods")}
	bodies, err := history.New(s.db).Bodies(s.Context(), pods)
	if err != nil {
		s.Fatal(err)
	}
	return jobview.NewPodSet(pods, bodies, nil)
}

func (s *scene) podsCause() string {
	s.Helper()
	cause, _ := s.set().Failure()
	return said(cause, s.set().Pods()[0].ExitCode)
}

func (s *scene) attemptCause() string {
	s.Helper()
	list := jobview.Attempts([]jobview.Member{{Attempt: history.Attempt{Number: 1, Object: s.object("jobs"), State: job.Failed}, Pods: s.set()}})
	last := list.Attempts[len(list.Attempts)-1]
	for _, f := range list.Fields {
		if code := f.Values[len(f.Values)-1]; f.Name == "exitCode" && code != "" {
			return last.Reason + " " + code
		}
	}
	return last.Reason
}

func (s *scene) pageCause() string {
	s.Helper()
	f, err := s.insight.Failure(s.Context(), s.job("ml", "train"), insight.Viewer{Language: "en"})
	if err != nil {
		s.Fatal(err)
	}
	return said(f.Cause, f.ExitCode)
}

func (s *scene) messageCause() string {
	s.Helper()
	if _, err := feed.Sequence(s.Context(), s.db); err != nil {
		s.Fatal(err)
	}
	for tr, err := range feed.Read(s.Context(), s.db, 0) {
		if err != nil {
			s.Fatal(err)
		}
		if tr.Object.Name != "train" {
			continue
		}
		n := message.Notice{Kind: message.Failed, Version: uint64(tr.Version), From: tr.From, To: tr.To, Reason: tr.Reason, Message: tr.Message, Happened: tr.Happened, Seen: tr.Seen}
		if err := facts.New(s.db).Fill(s.Context(), &n, tr.Object); err != nil {
			s.Fatal(err)
		}
		return said(string(n.Cause.Reason), n.Cause.ExitCode)
	}
	return ""
}
