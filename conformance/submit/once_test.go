package submit_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// job returns the manifest of a batch Job. With an empty name, the request key determines
// the name.
func newJob(t *testing.T, name string, n int) *manifest.Manifest {
	t.Helper()
	metadata := "name: " + name
	if name == "" {
		metadata = "generateName: train-"
	}
	all, err := manifest.Parse(t.Context(), "job.yaml", fmt.Appendf(nil, `apiVersion: batch/v1
kind: Job
metadata: {%s}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: example.com/train, args: ["%d"]}]
`, metadata, n))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// testOnce: 200 concurrent requests, half of them sent twice, over a network that cuts two
// of five connections, create exactly 200 jobs. Each request is recognized afterwards.
func testOnce(t *testing.T, s *stage) {
	const n = 200
	network, rc := newCutter(t, s.plane.RESTConfig())
	cluster := s.connect(t, rc)
	request := func(i int) submit.Request {
		req := submit.Request{Manifest: newJob(t, "", i), Key: fmt.Sprintf("key-%d", i)}
		switch i % 4 {
		case 1:
			req.Manifest = newJob(t, fmt.Sprintf("written-%d", i), i)
		case 2:
			req.Manifest = newJob(t, "", 0)
		case 3:
			req.Manifest, req.User, req.Key = newJob(t, "", 0), fmt.Sprintf("user-%d", i), "key"
		}
		return req
	}
	var work sync.WaitGroup
	uids := make([][2]string, n)
	for i := range n {
		for twice := range 1 + i%2 {
			work.Go(func() {
				client := submit.New(cluster, submit.Config{Patience: 5 * time.Minute})
				got, err := client.Submit(t.Context(), request(i))
				if err != nil {
					t.Errorf("request %d: %v", i, err)
					return
				}
				uids[i][twice] = string(got.Object.GetUID())
			})
		}
	}
	work.Wait()
	network.mu.Lock()
	defer network.mu.Unlock()
	t.Logf("%v", network.seen)
	for _, kind := range []string{"dry run", "creation", "get", "post"} {
		for how := range cuts {
			if network.seen[kind][how] == 0 {
				t.Errorf("no request of the kind %q was cut: %v", kind, how)
			}
		}
	}
	all := s.jobs(t)
	if len(all) != n {
		t.Errorf("%d jobs, want %d", len(all), n)
	}
	there := map[string]bool{}
	for _, j := range all {
		there[string(j.UID)] = true
		if j.Annotations[job.RequestKeyAnnotation] == "" || !strings.HasPrefix(j.Annotations[job.SubmitterAnnotation], "user-") && j.Annotations[job.SubmitterAnnotation] != "admin" {
			t.Errorf("annotations %v", j.Annotations)
		}
	}
	direct := submit.New(s.connect(t, s.plane.RESTConfig()), submit.Config{})
	for i := range n {
		got, err := direct.Submit(t.Context(), request(i))
		if err != nil || got.Created || !got.Before {
			t.Errorf("request %d again: created %v, %v", i, got.Created, err)
			continue
		}
		uid := string(got.Object.GetUID())
		if !there[uid] || uids[i][0] != uid || i%2 == 1 && uids[i][1] != uid {
			t.Errorf("request %d has the jobs %v, and %s when it is repeated", i, uids[i], uid)
		}
		delete(there, uid)
	}
	if len(there) > 0 || len(s.jobs(t)) != n {
		t.Errorf("%d jobs without a request, %d jobs", len(there), len(s.jobs(t)))
	}
}
