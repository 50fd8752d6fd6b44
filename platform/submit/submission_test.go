package submit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/submit"
)

// TestSubmit: a job is created once, with the marks of the request. A request that is
// repeated with its key is recognized.
func TestSubmit(t *testing.T) {
	srv, _ := serve(t, apitest.Config{Tokens: map[string]string{"t-wei": "wei@example.com"}})
	rc := srv.RESTConfig()
	rc.BearerToken = "t-wei"
	cluster := connect(t, rc)
	client := submit.New(cluster, submit.Config{})
	req := submit.Request{Manifest: parse(t, jobYAML), Template: "My template", Key: "k"}
	first, err := client.Submit(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Created || first.Object.GetName() != "train-7" || first.Object.GetNamespace() != "ml" || first.Resource.String() != "jobs.batch" {
		t.Errorf("created %v: %v, want the new job train-7 in ml", first.Created, first.Object.Object)
	}
	a, l := first.Object.GetAnnotations(), first.Object.GetLabels()
	if a[job.SubmitterAnnotation] != "wei@example.com" || a[job.RequestKeyAnnotation] != first.Key || l[job.UserLabel] != "wei-example.com" || l[job.TemplateLabel] != "My-template" {
		t.Errorf("got annotations %v and labels %v, want the submitter, the request key and the template", a, l)
	}
	// The order of fields does not matter, and the client does not either.
	turned := strings.Replace(jobYAML, "apiVersion: batch/v1\nkind: Job", "kind: Job\napiVersion: batch/v1", 1)
	again, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, turned), Key: "k"})
	if err != nil || again.Created || again.Object.GetUID() != first.Object.GetUID() {
		t.Errorf("the same job again: got error %v, created %v; want the first one", err, again.Created)
	}
	if n := len(jobs(t, srv)); n != 1 {
		t.Errorf("got %d jobs, want 1", n)
	}
	// The name comes from the key if the manifest has none.
	unnamed := strings.Replace(jobYAML, "name: train-7", "generateName: train-", 1)
	for n := range 3 {
		got, err := client.Submit(t.Context(), submit.Request{Manifest: parse(t, unnamed), Key: "unnamed"})
		if err != nil || got.Created != (n == 0) || got.Before != (n > 0) || len(jobs(t, srv)) != 2 {
			t.Errorf("submission %d: got error %v, created %v and %d jobs; want it created once, and 2 jobs", n, err, got.Created, len(jobs(t, srv)))
		}
	}
	// Without a key, equal requests are different requests.
	for n := range 2 {
		got, err := client.Submit(t.Context(), submit.Request{Manifest: parse(t, unnamed)})
		if err != nil || !got.Created || got.Before || len(jobs(t, srv)) != 3+n {
			t.Errorf("without a key: got error %v, created %v and %d jobs; want a new job, %d in all", err, got.Created, len(jobs(t, srv)), 3+n)
		}
	}
	if req.Manifest.Object.GetNamespace() != "" || len(req.Manifest.Object.GetAnnotations()) > 0 {
		t.Error("the manifest was changed")
	}
}

// TestTaken: a name that another request, another person or another tool has taken is an
// error.
func TestTaken(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	first, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML), Key: "build-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "kubectl"}}); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(jobYAML, "parallelism: 2", "parallelism: 3", 1)
	for name, c := range map[string]struct {
		req  submit.Request
		want string
	}{
		"another manifest": {submit.Request{Manifest: parse(t, changed)}, "job/train-7 exists in the namespace ml: it was created by you, with another request, and is Submitted"},
		"no key":           {submit.Request{Manifest: parse(t, jobYAML)}, "created by you, with another request"},
		"another key":      {submit.Request{Manifest: parse(t, jobYAML), Key: "build-2"}, "created by you, with another request"},
		"another person":   {submit.Request{Manifest: parse(t, jobYAML), Key: "build-1", User: "ann"}, "created by anonymous, and"},
		"another tool":     {submit.Request{Manifest: parse(t, strings.Replace(jobYAML, "train-7", "kubectl", 1))}, "created by another tool"},
		"dry run":          {submit.Request{Manifest: parse(t, changed), DryRun: true}, "created by you, with another request"},
	} {
		_, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), c.req)
		var taken *submit.TakenError
		if !errors.As(err, &taken) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	same, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, changed), Key: "build-1"})
	if err != nil || same.Created || same.Object.GetUID() != first.Object.GetUID() {
		t.Errorf("the same key: %v, created %v", err, same.Created)
	}
	for _, created := range []bool{true, false} {
		again, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML), Again: true, Key: "build-2"})
		if err != nil || again.Created != created || !strings.HasPrefix(again.Object.GetName(), "train-7-") {
			t.Errorf("again: got error %v and %v; want a job with a name of its own, created once", err, again.Object)
		}
	}
}

// TestLostAnswers: for all failures of a request, one job is created, and the outcome is
// known in the end.
func TestLostAnswers(t *testing.T) {
	onCreate := apitest.Match{Verb: apitest.VerbCreate, Resource: "jobs"}
	busy := apitest.Failure(429, 3*time.Second)
	for name, faults := range map[string][]apitest.Fault{
		"cut after the creation": {{Match: onCreate, After: 1, Action: apitest.Cut(apitest.CutReset)}},
		"cut twice":              {{Match: onCreate, After: 1, Times: 2, Action: apitest.Cut(apitest.CutMidFrame)}},
		"cut dry run":            {{Match: onCreate, Action: apitest.Cut(apitest.CutReset)}},
		"no answer":              {{Match: onCreate, After: 1, Action: apitest.Hang()}},
		"too busy":               {{Match: onCreate, Times: 3, Action: apitest.Respond(busy)}},
		"unavailable":            {{Match: onCreate, Times: 5, Action: apitest.Respond(apitest.Failure(503, 0))}},
		"internal":               {{Match: onCreate, After: 1, Times: 2, Action: apitest.Respond(apitest.Failure(500, 0))}},
		"no answer to reading": {
			{Match: onCreate, After: 1, Action: apitest.Cut(apitest.CutReset)},
			{Match: apitest.Match{Verb: apitest.VerbGet, Resource: "jobs"}, Times: 2, Action: apitest.Respond(apitest.Failure(503, 0))},
		},
		"refused by a quota that the job used up": {
			{Match: onCreate, After: 1, Action: apitest.Cut(apitest.CutReset)},
			{Match: onCreate, After: 1, Action: apitest.Respond(forbidden(`jobs.batch "train-7" is forbidden: exceeded quota: q`))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, cluster := serve(t, apitest.Config{})
				for _, f := range faults {
					inject(t, srv, f)
				}
				began := time.Now()
				got, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
				if err != nil || !got.Created || len(jobs(t, srv)) != 1 {
					t.Errorf("got error %v, created %v and %d jobs; want it created, and 1 job", err, got.Created, len(jobs(t, srv)))
				}
				if took := time.Since(began); took > submit.DefaultPatience {
					t.Errorf("it took %v", took)
				}
				if uid := jobs(t, srv)[0].UID; err == nil && got.Object.GetUID() != uid {
					t.Errorf("UID %s, want %s", got.Object.GetUID(), uid)
				}
			})
		})
	}
}

// TestNoAnswer: after Config.Patience, or when the context ends, the error describes the
// known state.
func TestNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		after  int
		cancel time.Duration
		want   time.Duration
		unsure bool
	}{
		"the creation":            {after: 1, want: submit.DefaultPatience, unsure: true},
		"the dry run":             {after: 0, want: submit.DefaultPatience},
		"the creation, cancelled": {after: 1, cancel: 2 * time.Second, want: 2 * time.Second, unsure: true},
		"the dry run, cancelled":  {after: 0, cancel: 2 * time.Second, want: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, cluster := serve(t, apitest.Config{})
				inject(t, srv, apitest.Fault{Match: apitest.Match{Verb: apitest.VerbCreate, Resource: "jobs"}, After: c.after, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(503, 0))})
				ctx := t.Context()
				if c.cancel > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.cancel)
					defer cancel()
				}
				began := time.Now()
				_, err := submit.New(cluster, submit.Config{}).Submit(ctx, submit.Request{Manifest: parse(t, jobYAML)})
				var unsure *submit.UnsureError
				if errors.As(err, &unsure) != c.unsure || err == nil {
					t.Errorf("got %T: %v, want an error, unsure: %t", err, err, c.unsure)
				}
				if unsure != nil && (unsure.Name != "train-7" || unsure.Namespace != "ml" || unsure.Key == "" || unsure.Type != "job") {
					t.Errorf("got %+v, want the type, namespace, name and key", unsure)
				}
				if took := time.Since(began); took != c.want {
					t.Errorf("it took %v, want %v", took, c.want)
				}
				if n := creations(srv); n < 3 || n > 60 {
					t.Errorf("got %d requests, want 3 to 60", n)
				}
			})
		})
	}
}

// TestUnreachable: without a server, the error comes immediately.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{})
		srv.Close()
		began := time.Now()
		_, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
		if took := time.Since(began); err == nil || took > 0 {
			t.Errorf("got error %v after %v, want one at once", err, took)
		}
	})
}

// TestGone: a name that becomes free between two requests is used.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{})
		old := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train-7"}}
		if _, err := srv.Create(old); err != nil {
			t.Fatal(err)
		}
		read := inject(t, srv, apitest.Fault{Match: apitest.Match{Verb: apitest.VerbGet, Resource: "jobs"}, Action: apitest.Hang()})
		done := make(chan error)
		go func() {
			_, err := submit.New(cluster, submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
			done <- err
		}()
		<-read.Struck()
		if err := srv.Delete(old); err != nil {
			t.Error(err)
		}
		read.Release()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if all := jobs(t, srv); len(all) != 1 || all[0].Annotations[job.SubmitterAnnotation] != anonymous {
			t.Errorf("got %v, want one job of the anonymous submitter", all)
		}
	})
}

// TestStrange: a mistake of this program is not repeated for a minute.
func TestStrange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, _ := serve(t, apitest.Config{})
		rc := srv.RESTConfig()
		rc.Impersonate.UserName = "a\nb"
		began := time.Now()
		_, err := submit.New(connect(t, rc), submit.Config{User: "a"}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "Impersonate-User") || took > 2*time.Second {
			t.Errorf("got error %v after %v of fake time, want one after the quick retries, which take a second", err, took)
		}
	})
}
