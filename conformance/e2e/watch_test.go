package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// jobs is the number of jobs that run while vedette watches.
var jobs = flag.Int("jobs", 60, "number of jobs of TestWatchMissesNothing")

// TestWatchMissesNothing runs jobs through a real control plane while `vedette watch`
// follows them, kills the API server, and compacts etcd, so that the watched versions are
// no longer available.
//
// The witness connects after vedette, also after an outage. So vedette could see every
// event that the witness sees, and must have printed it. Before a kill, the controllers
// are paused until both have seen the same events, because a killed server may deliver
// different events to its two connections.
func TestWatchMissesNothing(t *testing.T) {
	path := gobuild.Program(t, gobuild.Vedette)
	c := controlplane.ForTest(t, controlplane.Options{})
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	v := watch(t, path, "jobs,pods", "-A", "--kubeconfig", c.Kubeconfig(), "--output-watch-events", "-o", "jsonpath="+template)
	w := newWitness(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer w.work.Wait()
	defer cancel()

	create(t, client, 0, 1) // a first event, to see that vedette is connected
	v.until("the first line", func(seen []change, _ []string) bool { return len(seen) > 0 })
	w.watch(ctx)

	disturb := []func(){
		func() {},
		func() { // the watched versions are no longer in etcd, nor in the cache of a new server
			if err := c.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	}
	third := *jobs / 3
	create(t, client, 1, third)
	for i, between := range disturb {
		halt(t, c, v, w)
		c.KillAPIServer()
		w.work.Wait()
		between()
		c.Resume() // controllers continue as soon as a server runs, before any watch
		if err := c.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		v.until("the server is back", func(_ []change, said []string) bool { return lines(said, " is back after ") > i })
		w.watch(ctx)
		create(t, client, third*(i+1), min(third*(i+2), *jobs)+2*i)
	}
	// Etcd has compacted, so the watch got 410, and vedette must report it.
	v.until("vedette reports the gap", func(_ []change, said []string) bool {
		return lines(said, "did not reach back to the last change") > 0
	})
	waitForJobs(t, client)
	halt(t, c, v, w)

	v.interrupt()
	want, err := w.state(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compare(t, v, w, want)
}

// create creates the jobs from..to-1, four at a time. Every third deletes itself when it
// has ended.
func create(t *testing.T, client kubernetes.Interface, from, to int) {
	t.Helper()
	var work sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i := from; i < to; i++ {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			_, err := client.BatchV1().Jobs("default").Create(t.Context(), newJob(i), metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				t.Errorf("create job %d: %v", i, err)
			}
		})
	}
	work.Wait()
}

func newJob(i int) *batchv1.Job {
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("train-%d", i)},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: "train"}},
		}}},
	}
	if i%3 == 0 {
		j.Spec.TTLSecondsAfterFinished = new(int32)
	}
	return j
}

// waitForJobs waits until all remaining jobs have ended, and jobs that delete themselves
// are deleted.
func waitForJobs(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	patience.Work(t, "all jobs have ended", func() (int64, string) {
		list, err := client.BatchV1().Jobs("default").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return 0, err.Error()
		}
		open := 0
		for i := range list.Items {
			if j := &list.Items[i]; j.Status.CompletionTime == nil || j.Spec.TTLSecondsAfterFinished != nil {
				open++
			}
		}
		if open > 0 || len(list.Items) < *jobs/2 {
			return int64(*jobs - open), fmt.Sprintf("%d of %d jobs have not", open, len(list.Items))
		}
		return int64(*jobs), ""
	})
}

// halt pauses the controllers, and waits until vedette and the witness have seen all
// events.
func halt(t *testing.T, c *controlplane.Cluster, v *vedette, w *witness) {
	t.Helper()
	c.Pause()
	patience.Until(t, "vedette and the witness have seen the same", func() string {
		now, err := w.state(t.Context())
		if err != nil {
			return err.Error()
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		return lacks("vedette", v.changes, now) + lacks("the witness", w.changes(), now)
	})
}

// lacks returns the existing objects whose current version was not seen. It ignores
// deleted objects: the witness cannot see a deletion while it is not connected.
func lacks(who string, changes []change, now map[string]wire.Version) string {
	seen := map[string]wire.Version{}
	for _, c := range changes {
		id := c.kind + " " + c.key + " " + c.uid
		seen[id] = max(seen[id], c.version)
	}
	var text strings.Builder
	for id, version := range now {
		if seen[id] != version {
			fmt.Fprintf(&text, "%s has seen version %v of %s, which is at %v\n", who, seen[id], id, version)
		}
	}
	return text.String()
}

// compare compares vedette's output with the witness and with the current objects.
func compare(t *testing.T, v *vedette, w *witness, want map[string]wire.Version) {
	t.Helper()
	got := fold(t, "vedette", v.changes)
	if !sameState(got, want) {
		t.Errorf("vedette has %d objects at the end, the server has %d", len(got), len(want))
		for id, version := range want {
			if got[id] != version {
				t.Errorf("%s is %v, the server has %v", id, got[id], version)
			}
		}
		for id := range got {
			if _, ok := want[id]; !ok {
				t.Errorf("%s no longer exists", id)
			}
		}
	}
	type revision struct {
		uid     string
		version wire.Version
		gone    bool
	}
	printed := map[revision]int{}
	for _, c := range v.changes {
		printed[revision{c.uid, c.version, c.event == "DELETED"}]++
	}
	seen := map[revision]bool{}
	for _, c := range w.changes() {
		seen[revision{c.uid, c.version, c.event == "DELETED"}] = true
	}
	missing := 0
	for r := range seen {
		if printed[r] == 0 {
			if missing++; missing <= 10 {
				t.Errorf("not printed: %+v", r)
			}
		}
	}
	for r, n := range printed {
		if n > 1 {
			t.Errorf("printed %d times: %+v", n, r)
		}
	}
	t.Logf("the witness saw %d revisions; vedette printed %d, and missed %d of the witness's", len(seen), len(v.changes), missing)
	if len(seen) < 5**jobs {
		t.Errorf("only %d revisions: the jobs did not run", len(seen))
	}
}
