package portal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/portal/api"
)

const (
	equalJobs = 500
	// tolerated bounds the delays on a loaded machine that also runs the cluster and the browser.
	// The goals are 2 s until all is equal, and 300 ms for 99 % of the events; the test logs both.
	tolerated = 30 * time.Second
)

// listener follows the stream in the page, and notes when each version of a job arrived.
const listener = `window.arrived = {};
const source = new EventSource("/api/v1/stream");
source.addEventListener("changes", (e) => {
  for (const c of JSON.parse(e.data).changes) arrived[c.job.uid + "/" + c.job.state] ??= Date.now();
});
new Promise((done) => { source.onopen = () => done(true); })`

// TestShownEqualsServer: while 500 jobs run and end, the portal has what the API server has, and
// its events reach the browser soon.
func TestShownEqualsServer(t *testing.T) {
	s := newStage(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	s.portal()
	p := newBrowser(t).tab(s.base)
	p.open("/jobs?window=all")
	p.shows(".badge", "Live")
	if got := p.text(listener); got != "true" {
		t.Fatal(got)
	}
	seen := s.watchJobs()
	s.load()
	began := time.Now()
	wait.Until(t, within, "the portal has what the API server has", func() string { return s.differs(t) })
	took := time.Since(began)
	t.Logf("all is equal %v after the last change", took.Round(time.Millisecond))
	if took > tolerated {
		t.Errorf("all is equal only %v after the last change", took)
	}
	p.shows(".pills", fmt.Sprint(equalJobs*9/10))

	delays := seen.delays(t, p)
	p99 := delays[len(delays)*99/100]
	t.Logf("from the event of the API server to that of the browser: %d transitions, median %v, 99 %% %v, last %v", len(delays), delays[len(delays)/2], p99, delays[len(delays)-1])
	if p99 > tolerated {
		t.Errorf("the 99th percentile is %v", p99)
	}
	p.close()
}

// load creates the jobs, lets them run, and ends some.
func (s *stage) load() {
	var work sync.WaitGroup
	for w := range 4 {
		work.Go(func() {
			for i := w; i < equalJobs; i += 4 {
				name := fmt.Sprintf("equal-%03d", i)
				_, err := s.client.BatchV1().Jobs(namespace).Create(s.t.Context(), newJob(name, nil, nil), metav1.CreateOptions{})
				if err == nil {
					err = s.status(name, map[string]any{"active": 1, "ready": 1, "startTime": metav1.Now()})
				}
				if err == nil && i%10 == 0 {
					now := metav1.Now()
					err = s.status(name, map[string]any{"active": nil, "ready": nil, "succeeded": 1, "completionTime": now, "conditions": []batchv1.JobCondition{
						{Type: batchv1.JobSuccessCriteriaMet, Status: "True", LastTransitionTime: now}, {Type: batchv1.JobComplete, Status: "True", LastTransitionTime: now},
					}})
				}
				if err != nil {
					s.t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	work.Wait()
}

// status changes the status of a job.
func (s *stage) status(job string, status map[string]any) error {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = s.client.BatchV1().Jobs(namespace).Patch(s.t.Context(), job, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// seen is when a witness beside the portal saw the states of jobs.
type seen struct {
	mu    sync.Mutex
	first map[string]time.Time // by UID and state
	stop  func()
}

// watchJobs begins to watch jobs, until the test ends.
func (s *stage) watchJobs() *seen {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	w, err := s.client.BatchV1().Jobs(namespace).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	all := &seen{first: map[string]time.Time{}}
	var work sync.WaitGroup
	work.Go(func() {
		for e := range w.ResultChan() {
			job, ok := e.Object.(*batchv1.Job)
			if !ok || e.Type == watch.Deleted {
				continue
			}
			all.mu.Lock()
			key := string(job.UID) + "/" + stateOf(job)
			if _, old := all.first[key]; !old {
				all.first[key] = time.Now()
			}
			all.mu.Unlock()
		}
	})
	all.stop = sync.OnceFunc(func() { cancel(); w.Stop(); work.Wait() })
	s.t.Cleanup(all.stop)
	return all
}

// stateOf is the state of a job of this test.
func stateOf(job *batchv1.Job) string {
	switch {
	case job.Status.Succeeded > 0:
		return "Succeeded"
	case job.Status.Active > 0:
		return "Running"
	}
	return "Submitted"
}

// delays waits until the browser has seen every transition that the witness saw, and returns how
// much later, sorted.
func (w *seen) delays(t *testing.T, p *tab) []time.Duration {
	t.Helper()
	w.stop()
	keys := make([]string, 0, len(w.first))
	for key := range w.first {
		if _, state := key[:36], key[37:]; state != "Submitted" { // it may be over before it is read
			keys = append(keys, key)
		}
	}
	wanted, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	p.until("all events arrive", fmt.Sprintf(`(() => { const lacking = %s.filter((k) => !(k in arrived) && !k.endsWith("Running")); return lacking.length === 0 || lacking.length + " lack, such as " + lacking[0]; })()`, wanted))
	arrived := map[string]int64{}
	if err := json.Unmarshal([]byte(p.text("JSON.stringify(arrived)")), &arrived); err != nil {
		t.Fatal(err)
	}
	var all []time.Duration
	for _, key := range keys {
		if at, ok := arrived[key]; ok {
			all = append(all, max(0, time.UnixMilli(at).Sub(w.first[key])).Round(time.Millisecond))
		}
	}
	if len(all) < equalJobs {
		t.Fatalf("%d transitions", len(all))
	}
	slices.Sort(all)
	return all
}

// differs compares every job of the portal with the API server, and returns what differs first.
func (s *stage) differs(t *testing.T) string {
	t.Helper()
	jobs, err := s.client.BatchV1().Jobs(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	list, err := read[api.JobList](t, s.base+"/api/v1/jobs?limit=500")
	if err != nil {
		return err.Error()
	}
	shown := map[string]api.Job{}
	for _, j := range list.Jobs {
		shown[j.UID] = j
	}
	for i := range jobs.Items {
		j := &jobs.Items[i]
		got := shown[string(j.UID)]
		if got.Name != j.Name || got.State != stateOf(j) || got.Version != j.ResourceVersion {
			return fmt.Sprintf("%s is %s at version %s, and the portal has %q, %s, %s", j.Name, stateOf(j), j.ResourceVersion, got.Name, got.State, got.Version)
		}
	}
	if len(shown) != len(jobs.Items) || len(shown) != equalJobs {
		return fmt.Sprintf("%d jobs, and the portal has %d", len(jobs.Items), len(shown))
	}
	return ""
}
