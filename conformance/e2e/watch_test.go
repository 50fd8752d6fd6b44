package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// jobs is how many run through while vedette watches.
const jobs = 200

// TestWatchMissesNothing runs jobs through a real control plane while `vedette
// watch` follows them, kills the API server in the middle of it, and compacts
// etcd so that what was watched is really gone.
//
// The witness is connected while vedette is, and after an outage from a moment
// when vedette is back: so everything it sees is something that vedette could
// see too, and must have printed. Before a kill the actors are halted until
// both have seen the same, since what one of two connections still delivers
// when a server is killed is chance.
func TestWatchMissesNothing(t *testing.T) {
	path := build(t)
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

	create(t, client, 0, 1) // something to see that vedette is there
	v.until("the first line", time.Minute, func(seen []change, _ []string) bool { return len(seen) > 0 })
	w.watch(ctx)

	disturb := []func(){
		func() {},
		func() { // what was watched is gone from etcd, and with the server from its cache
			if err := c.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	}
	third := jobs / 3
	create(t, client, 1, third)
	for i, between := range disturb {
		halt(t, c, v, w)
		c.KillAPIServer()
		w.work.Wait()
		between()
		c.Resume() // they go on as soon as there is a server, before anybody watches
		if err := c.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		v.until("the server is back", time.Minute, func(_ []change, said []string) bool { return lines(said, " is back after ") > i })
		w.watch(ctx)
		create(t, client, third*(i+1), min(third*(i+2), jobs)+2*i)
	}
	// Etcd had forgotten: the 410 came, and vedette says so.
	v.until("vedette knows of the gap", time.Minute, func(_ []change, said []string) bool {
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

// create creates the jobs from..to-1, four at a time. Every third removes itself
// when it has ended.
func create(t *testing.T, client kubernetes.Interface, from, to int) {
	t.Helper()
	var work sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i := from; i < to; i++ {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			_, err := client.BatchV1().Jobs("default").Create(t.Context(), job(i), metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				t.Errorf("create job %d: %v", i, err)
			}
		})
	}
	work.Wait()
}

func job(i int) *batchv1.Job {
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

// every calls ok again and again until it returns true.
func every(t *testing.T, interval, within time.Duration, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	deadline := time.After(within)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s: not within %v", what, within)
		}
	}
}

// waitForJobs waits until all jobs that are left have ended, and those that
// remove themselves are gone.
func waitForJobs(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	every(t, time.Second, 8*time.Minute, "all jobs have ended", func() bool {
		list, err := client.BatchV1().Jobs("default").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			if j := &list.Items[i]; j.Status.CompletionTime == nil || j.Spec.TTLSecondsAfterFinished != nil {
				return false
			}
		}
		return len(list.Items) >= jobs/2
	})
}

// halt stops the actors, and waits until vedette and the witness have seen
// everything that there is.
func halt(t *testing.T, c *controlplane.Cluster, v *vedette, w *witness) {
	t.Helper()
	c.Pause()
	var behind string
	defer func() {
		if t.Failed() {
			t.Log(behind)
		}
	}()
	every(t, 200*time.Millisecond, time.Minute, "vedette and the witness have seen the same", func() bool {
		now, err := w.state(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		behind = lacks("vedette", v.changes, now) + lacks("the witness", w.changes(), now)
		return behind == ""
	})
}

// lacks says what of that which is there somebody has not seen. What was deleted
// while the witness was not connected it can not know of, so only what is there
// counts.
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

// compare holds what vedette printed against what the witness saw and what is.
func compare(t *testing.T, v *vedette, w *witness, want map[string]wire.Version) {
	t.Helper()
	got := fold(t, "vedette", v.changes)
	if !sameState(got, want) {
		t.Errorf("vedette ends with %d objects, the server has %d", len(got), len(want))
		for id, version := range want {
			if got[id] != version {
				t.Errorf("%s is %v, the server has %v", id, got[id], version)
			}
		}
		for id := range got {
			if _, ok := want[id]; !ok {
				t.Errorf("%s is not there any more", id)
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
	t.Logf("the witness saw %d revisions; vedette printed %d, %d of the former missing", len(seen), len(v.changes), missing)
	if len(seen) < 5*jobs {
		t.Errorf("only %d revisions: the jobs did not run", len(seen))
	}
}
