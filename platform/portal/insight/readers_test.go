package insight_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/stats"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// podRow is a row of the table of package job.
type podRow struct {
	Name              string
	Annotations, Spec map[string]any
	Deleted           bool
	Unbound           int
	Writes            []struct{ Status map[string]any }
	Job               string
	Want              struct {
		Cause     string
		Container string
		Exit      *int
		Limit     string
	}
	id string // the name of its job
}

// moment matches the times in the table.
var moment = regexp.MustCompile(`\bT([+-]\d+)\b`)

// podRows returns the table. Its times are around now.
func podRows(t *testing.T, now time.Time) (rows []podRow) {
	t.Helper()
	testinput.Uncached(t)
	text, err := os.ReadFile("../../../job/testdata/pods.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = moment.ReplaceAllFunc(text, func(at []byte) []byte {
		seconds, err := strconv.Atoi(string(at[1:]))
		if err != nil {
			t.Fatal(err)
		}
		return []byte(now.Add(time.Duration(seconds) * time.Second).Format(`"` + time.RFC3339 + `"`))
	})
	if err := yaml.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].id = fmt.Sprintf("row-%d", i)
	}
	return rows
}

// failed reports whether the pod of the row has failed in the end.
func (r *podRow) failed() bool { return r.Writes[len(r.Writes)-1].Status["phase"] == "Failed" }

// wanted returns the right answers of each reader of the row.
func (r *podRow) wanted() map[string]string {
	want := map[string]string{}
	if r.failed() {
		cause := said(r.Want.Cause, r.Want.Exit)
		for reader := range failureReaders {
			want[reader] = cause
		}
		if r.Want.Cause != string(job.CauseError) {
			want["statistics"] = r.Want.Cause // equal causes are counted together
		}
		if cause == "" {
			delete(want, "list") // it has the reason of the pod, which names no cause
		}
		return want
	}
	for reader := range stateReaders {
		want[reader] = r.Job
	}
	return want
}

// failureReaders are those that say why a job failed.
var failureReaders = map[string]func(*scene, *podRow) string{
	"history": (*scene).historyCause, "list": (*scene).listCause, "pods": (*scene).podsCause, "attempts": (*scene).attemptCause,
	"page": (*scene).pageCause, "message": (*scene).messageCause, "statistics": (*scene).statsCause, "event": (*scene).eventCause,
}

// stateReaders are those that say the state of a job and its reason.
var stateReaders = map[string]func(*scene, *podRow) string{
	"jobs": (*scene).jobsState, "one job": (*scene).jobState, "jobs by state": (*scene).jobsByState,
	"page": (*scene).pageState, "page by state": (*scene).pageByState, "event": (*scene).eventState,
}

// TestReadersAgree: each reader gives the answer of the table about the same pod, which the
// recorder has recorded with all its writes.
func TestReadersAgree(t *testing.T) {
	s := newScene(t, dbtest.Empty(t, "sqlite"))
	rows := podRows(t, s.now)
	s.play(rows)
	for i := range rows {
		row := &rows[i]
		t.Run(row.Name, func(t *testing.T) {
			s := *s
			s.T = t
			readers := stateReaders
			if row.failed() {
				readers = failureReaders
			}
			for reader, right := range row.wanted() {
				if got := readers[reader](&s, row); got != right {
					t.Errorf("%s: got %q, want %q", reader, got, right)
				}
			}
			if row.failed() {
				row.checkLimit(&s)
			}
		})
	}
}

// checkLimit: the page proposes more memory for the container that ran out of it, and for no
// other.
func (r *podRow) checkLimit(s *scene) {
	s.Helper()
	f, err := s.insight.Failure(s.Context(), s.job("ml", r.id), insight.Viewer{Language: "en"})
	if err != nil {
		s.Fatal(err)
	}
	memory := r.Want.Cause == string(job.CauseOOMKilled) && r.Want.Limit != ""
	switch {
	case !memory && f.Memory != nil:
		s.Errorf("the page proposes %+v, want no change of memory", *f.Memory)
	case memory && (f.Memory == nil || f.Memory.Container != r.Want.Container || f.Memory.Limit != r.Want.Limit):
		s.Errorf("the page proposes %+v, want more than %s for %s", f.Memory, r.Want.Limit, r.Want.Container)
	}
}

// play creates a Job with a pod for each row, and records their writes.
func (s *scene) play(rows []podRow) {
	s.Helper()
	for i := range rows {
		r := &rows[i]
		s.create("apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: ml, name: " + r.id + "}\n" +
			"spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}\n" +
			"status: {startTime: 'NOW', active: 1, ready: 0}")
		s.create(r.pod(s))
	}
	stop := s.recording("jobs.batch", "pods")
	for i := range rows {
		for write := 1; write < len(rows[i].Writes); write++ {
			s.write(&rows[i], write)
		}
		s.end(&rows[i])
	}
	s.recordedAll(rows)
	stop()
	s.load()
	s.sequence()
}

// pod returns the YAML of the pod of a row after its first write.
func (r *podRow) pod(s *scene) string {
	spec := maps.Clone(r.Spec)
	if r.Unbound == 0 {
		spec["nodeName"] = "n1"
	}
	meta := map[string]any{
		"namespace": "ml", "name": r.id + "-x", "annotations": r.Annotations,
		"ownerReferences": []any{map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": r.id, "uid": s.uids[r.id], "controller": true}},
	}
	if r.Deleted { // the kubelet's part of a graceful deletion, which apitest leaves out
		meta["finalizers"] = []any{"example.com/kubelet"}
	}
	text, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": r.Writes[0].Status})
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// write writes the status of the pod of a row.
func (s *scene) write(r *podRow, write int) {
	s.Helper()
	s.modify("v1", "Pod", r.id+"-x", func(o map[string]any) {
		if write >= r.Unbound {
			if err := unstructured.SetNestedField(o, "n1", "spec", "nodeName"); err != nil {
				s.Fatal(err)
			}
		}
		o["status"] = r.Writes[write].Status
	})
}

// end deletes the pod of a row if it is being deleted, and writes the status of the Job, after the last
// write of its pod.
func (s *scene) end(r *podRow) {
	s.Helper()
	if r.Deleted {
		pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"namespace": "ml", "name": r.id + "-x"}}}
		if err := s.srv.Delete(pod); err != nil {
			s.Fatal(err)
		}
	}
	at := s.now.Format(time.RFC3339)
	status := map[string]any{"startTime": at, "active": int64(1), "ready": int64(1)}
	ended := func(typ, reason string) []any {
		return []any{map[string]any{"type": typ, "status": "True", "reason": reason, "lastTransitionTime": at}}
	}
	last := job.ReadStatus(map[string]any{"apiVersion": "v1", "kind": "Pod", "status": r.Writes[len(r.Writes)-1].Status})
	switch last.State {
	case job.Failed:
		status = map[string]any{"startTime": at, "failed": int64(1), "conditions": ended("Failed", "BackoffLimitExceeded")}
	case job.Succeeded:
		status = map[string]any{"startTime": at, "succeeded": int64(1), "conditions": ended("Complete", "")}
	case job.Running:
		if r.Deleted {
			return
		}
	default:
		return
	}
	s.modify("batch/v1", "Job", r.id, func(o map[string]any) { o["status"] = status })
}

func (s *scene) modify(apiVersion, kind, name string, change func(map[string]any)) {
	s.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"namespace": "ml", "name": name}}}
	if _, err := apitest.Modify(s.srv, o, func(o *unstructured.Unstructured) { change(o.Object) }); err != nil {
		s.Fatal(err)
	}
}

// recordedAll waits until the last write of each row is recorded.
func (s *scene) recordedAll(rows []podRow) {
	s.Helper()
	patience.Until(s, "all writes are recorded", func() string {
		for i := range rows {
			for _, of := range []struct{ apiVersion, kind, resource, name string }{{"v1", "Pod", "pods", rows[i].id + "-x"}, {"batch/v1", "Job", "jobs", rows[i].id}} {
				o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": of.apiVersion, "kind": of.kind, "metadata": map[string]any{"namespace": "ml", "name": of.name}}}
				now, err := s.srv.Get(o)
				if err != nil {
					s.Fatal(err)
				}
				if version := s.object(of.resource, of.name).Version.String(); version != now.GetResourceVersion() {
					return fmt.Sprintf("%s has version %s, want %s", of.name, version, now.GetResourceVersion())
				}
			}
		}
		return ""
	})
}

// sequence numbers the recorded transitions.
func (s *scene) sequence() {
	s.Helper()
	if _, err := feed.Sequence(s.Context(), s.db); err != nil {
		s.Fatal(err)
	}
}

// said is a cause with its exit code as the test compares it.
func said(cause string, exit *int) string {
	if exit == nil {
		return cause
	}
	return fmt.Sprint(cause, " ", *exit)
}

// state is a state with its reason as the test compares it.
func state(of, reason string) string {
	if reason == "" {
		return of
	}
	return of + ": " + reason
}

// object returns the recorded object of a type with a name.
func (s *scene) object(resource, name string) history.Object {
	s.Helper()
	of := history.Type{Resource: resource, Group: map[string]string{"jobs": "batch"}[resource]}
	page, err := history.New(s.db).Objects(s.Context(), history.ObjectName{Type: of, Namespace: "ml", Name: name}, history.Paging{})
	if err != nil || len(page.Items) != 1 {
		s.Fatalf("%s: got %d objects, error %v; want 1", name, len(page.Items), err)
	}
	return page.Items[0]
}

// causeIn returns the cause and the exit code in the reason and the message of a pod.
func causeIn(reason, message string) string {
	cause := string(job.CauseOf(reason))
	if code, found := job.ExitCodeIn(message); found {
		return cause + " " + code
	}
	return cause
}

func (s *scene) historyCause(r *podRow) string {
	pod := s.object("pods", r.id+"-x")
	return causeIn(pod.Reason, pod.Message)
}

func (s *scene) listCause(r *podRow) string {
	s.Helper()
	e := s.extra(r)
	return said(e.Cause, e.ExitCode)
}

// extra returns the columns of the list that are not in the index.
func (s *scene) extra(r *podRow) jobview.Extra {
	s.Helper()
	row := s.job("ml", r.id)
	extras, err := jobview.NewEnricher(history.New(s.db)).Extras(s.Context(), []jobindex.Row{*row}, time.Time{})
	if err != nil {
		s.Fatal(err)
	}
	return extras[row.ID]
}

// set returns the pods of the job.
func (s *scene) set(r *podRow) *jobview.PodSet {
	s.Helper()
	pods := []history.Object{s.object("pods", r.id+"-x")}
	bodies, err := history.New(s.db).Bodies(s.Context(), pods)
	if err != nil {
		s.Fatal(err)
	}
	return jobview.NewPodSet(pods, bodies, nil)
}

func (s *scene) podsCause(r *podRow) string {
	s.Helper()
	cause, exit := s.set(r).Failure()
	if cause != "" && exit != nil {
		exit = s.set(r).Pods()[0].ExitCode
	}
	return said(string(job.CauseOf(cause)), exit)
}

func (s *scene) attemptCause(r *podRow) string {
	s.Helper()
	list := jobview.Attempts([]jobview.Member{{Attempt: history.Attempt{Number: 1, Object: s.object("jobs", r.id), State: job.Failed}, Pods: s.set(r)}})
	last := list.Attempts[len(list.Attempts)-1]
	for _, f := range list.Fields {
		if code := f.Values[len(f.Values)-1]; f.Name == "exitCode" && code != "" {
			return last.Reason + " " + code
		}
	}
	return last.Reason
}

func (s *scene) pageCause(r *podRow) string {
	s.Helper()
	f, err := s.insight.Failure(s.Context(), s.job("ml", r.id), insight.Viewer{Language: "en"})
	if err != nil {
		s.Fatal(err)
	}
	return said(string(job.CauseOf(f.Cause)), f.ExitCode)
}

// transition returns the last transition of an object in the feed.
func (s *scene) transition(name string) (last feed.Transition) {
	s.Helper()
	for tr, err := range feed.Read(s.Context(), s.db, 0) {
		if err != nil {
			s.Fatal(err)
		}
		if tr.Object.Name == name {
			last = tr
		}
	}
	return last
}

func (s *scene) messageCause(r *podRow) string {
	s.Helper()
	tr := s.transition(r.id)
	n := message.Notice{Kind: message.Failed, Version: uint64(tr.Version), From: tr.From, To: tr.To, Reason: tr.Reason, Message: tr.Message, Happened: tr.Happened, Seen: tr.Seen}
	if err := facts.New(s.db).Fill(s.Context(), &n, tr.Object); err != nil {
		s.Fatal(err)
	}
	reason := string(n.Cause.Reason)
	if n.Cause.Reason == message.ExitError {
		reason = string(job.CauseError)
	}
	return said(reason, n.Cause.ExitCode)
}

func (s *scene) statsCause(r *podRow) string {
	s.Helper()
	q := jobindex.Query{Filter: jobfilter.Filter{Terms: []jobfilter.Term{{Key: jobfilter.Name, Values: []string{r.id}}}}}
	w := stats.Window{From: s.now.Add(-time.Hour), To: s.now.Add(time.Hour)}
	a, err := stats.New(stats.Config{DB: s.db, Index: s.index, Now: func() time.Time { return s.now.Add(time.Minute) }}).Stats(s.Context(), q, w, stats.Window{})
	if err != nil || len(a.Now.Causes) != 1 {
		s.Fatalf("got %+v, error %v; want one cause", a, err)
	}
	cause, message, _ := strings.Cut(a.Now.Causes[0].Word, ", ")
	return causeIn(cause, message)
}

// eventCause returns the cause in the event of the pod.
func (s *scene) eventCause(r *podRow) string {
	s.Helper()
	tr := s.transition(r.id + "-x")
	e := stream.NewEvent(&tr)
	return causeIn(e.Data.Reason, e.Data.Message)
}

func (s *scene) eventState(r *podRow) string {
	s.Helper()
	tr := s.transition(r.id)
	e := stream.NewEvent(&tr)
	return state(e.Data.Object.Status.State, e.Data.Object.Status.Reason)
}

// listed returns the jobs of the list that a filter selects.
func (s *scene) listed(states ...job.State) map[string]history.Job {
	s.Helper()
	all := map[string]history.Job{}
	page, err := history.New(s.db).ListJobs(s.Context(), history.Filter{States: states}, history.Paging{Limit: 500}, s.now)
	if err != nil {
		s.Fatal(err)
	}
	for _, j := range page.Items {
		all[j.Name] = j
	}
	return all
}

func (s *scene) jobsState(r *podRow) string {
	s.Helper()
	j := s.listed()[r.id]
	return state(j.State, j.Reason)
}

// jobsByState returns the state and the reason of the job in the list of the jobs of one state.
func (s *scene) jobsByState(r *podRow) string {
	s.Helper()
	found := []string{}
	for _, of := range job.States() {
		if j, ok := s.listed(of)[r.id]; ok {
			found = append(found, state(j.State, j.Reason))
		}
	}
	return strings.Join(found, ", ")
}

func (s *scene) jobState(r *podRow) string {
	s.Helper()
	j, err := history.New(s.db).Job(s.Context(), s.object("jobs", r.id).ID, s.now)
	if err != nil {
		s.Fatal(err)
	}
	return state(j.State, j.Reason)
}

func (s *scene) pageState(r *podRow) string {
	s.Helper()
	j := jobview.Job(s.job("ml", r.id), s.extra(r))
	return state(j.State, j.Reason)
}

// pageByState returns the state and the reason of the job in the pages of one state.
func (s *scene) pageByState(r *podRow) string {
	s.Helper()
	var found []string
	for _, of := range job.States() {
		q := jobindex.Query{Limit: jobindex.MaxLimit, Filter: jobfilter.Filter{Terms: []jobfilter.Term{{Key: jobfilter.State, Values: []string{string(of)}}}}}
		err := s.index.View(func(v *jobindex.View) error {
			v.Each(q, func(row *jobindex.Row) bool {
				if row.Name == r.id {
					found = append(found, state(string(row.State), row.Reason))
				}
				return true
			})
			return nil
		})
		if err != nil {
			s.Fatal(err)
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}
