package shown_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/portal/client"
	"github.com/vedette-io/vedette/conformance/portal/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

const (
	equalJobs = 500
	// The goals on a machine without other load.
	equalWithin, eventWithin = 2 * time.Second, 300 * time.Millisecond
)

// exact makes the tests check the goals. By default they only check that everything arrives,
// because a busy machine may take any time.
var exact = flag.Bool("portal.exact", false, "check the goals for times, on each database, with the portal in its own process and in the recorder")

// TestShownEqualsServer: while 500 jobs run and change, the portal has the same jobs as the API
// server, and its events reach the browser soon.
func TestShownEqualsServer(t *testing.T) {
	if !*exact {
		shownEqualsServer(t, stage.New(t, controlplane.Options{Parts: controlplane.APIServerOnly}), 100)
		return
	}
	for _, kind := range dbtest.Kinds() {
		for name, inside := range map[string]bool{"in its own process": false, "in the recorder": true} {
			t.Run(kind+", the portal "+name, func(t *testing.T) {
				shownEqualsServer(t, stage.NewOn(t, dbtest.Empty(t, kind), controlplane.Options{Parts: controlplane.APIServerOnly}, inside), 1000)
			})
		}
	}
}

// shownEqualsServer loads jobs, compares, and makes a number of transitions.
func shownEqualsServer(t *testing.T, s *stage.Stage, transitions int) {
	if !s.Inside {
		s.Portal()
	}
	client.Ready(t, s.Base)
	p := s.Tab(browser.New(t))
	p.Open("/jobs?window=all")
	p.Shows(".badge", "Live")
	load(s)
	began := time.Now()
	patience.Until(t, "the portal has the same jobs as the API server", func() string { return differs(t, s) })
	took := time.Since(began)
	t.Logf("all jobs are equal %v after the last change", took.Round(time.Millisecond))
	if *exact && took > equalWithin {
		t.Errorf("all jobs are equal only %v after the last change", took)
	}
	p.Shows(".pills", fmt.Sprint(equalJobs*9/10))

	p.Open("/jobs?window=all&sort=name")
	p.Shows(".badge", "Live")
	j := travel(s, p)
	change(s, transitions)
	h := j.hops(s.DB)
	t.Log(h)
	if n := len(h[overall]); n < transitions/2 {
		t.Errorf("%d of %d transitions were measured", n, transitions)
	}
	if p99 := h.percentile(overall, 0.99); *exact && p99 > eventWithin {
		t.Errorf("the 99th percentile is %v", p99)
	}
	p.Close()
}

// load creates the jobs, lets them run, and ends some.
func load(s *stage.Stage) {
	var work sync.WaitGroup
	for w := range 4 {
		work.Go(func() {
			for i := w; i < equalJobs; i += 4 {
				name := fmt.Sprintf("equal-%03d", i)
				_, err := s.Client.BatchV1().Jobs(stage.Namespace).Create(s.T.Context(), stage.NewJob(name, nil, nil), metav1.CreateOptions{})
				if err == nil {
					err = status(s, name, map[string]any{"active": 1, "ready": 1, "startTime": metav1.Now()})
				}
				if err == nil && i%10 == 0 {
					now := metav1.Now()
					err = status(s, name, map[string]any{"active": nil, "ready": nil, "succeeded": 1, "completionTime": now, "conditions": []batchv1.JobCondition{
						{Type: batchv1.JobSuccessCriteriaMet, Status: "True", LastTransitionTime: now}, {Type: batchv1.JobComplete, Status: "True", LastTransitionTime: now},
					}})
				}
				if err != nil {
					s.T.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	work.Wait()
}

// status changes the status of a job.
func status(s *stage.Stage, job string, status map[string]any) error {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = s.Client.BatchV1().Jobs(stage.Namespace).Patch(s.T.Context(), job, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
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

// differs compares every job of the portal with the API server, and describes the first
// difference.
func differs(t *testing.T, s *stage.Stage) string {
	t.Helper()
	jobs, err := s.Client.BatchV1().Jobs(stage.Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	list, err := client.Read[api.JobList](t, s.Base+"/api/v1/jobs?limit=500")
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
			return fmt.Sprintf("%s is %s at version %s on the server; the portal has %q, %s, %s", j.Name, stateOf(j), j.ResourceVersion, got.Name, got.State, got.Version)
		}
	}
	if len(shown) != len(jobs.Items) || len(shown) != equalJobs {
		return fmt.Sprintf("the server has %d jobs, the portal has %d", len(jobs.Items), len(shown))
	}
	return ""
}
